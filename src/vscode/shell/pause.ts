import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds after which something else may run. */
const sliceMs = 8;

/** Called between two pieces of long work, it lets the extension host do something else whenever a slice is over. */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await nextTurn();
    since = performance.now();
  };
}
