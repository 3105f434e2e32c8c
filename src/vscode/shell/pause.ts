import { setImmediate as nextTurn } from "node:timers/promises";
import type { Pause } from "../../core/kernel/pause.ts";

/** Milliseconds after which other work can run. */
const sliceMs = 8;

/** Called between two pieces of long work, it lets the extension host do something else whenever a slice is over. */
export function createPause(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await nextTurn();
    since = performance.now();
  };
}
/** Runs a function once after this many milliseconds and returns a function that cancels it. */
export function schedule(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
