import { setImmediate as nextTurn } from "node:timers/promises";
import { scanSecrets } from "../../core/account/secrets/scanSecrets.ts";
import type { SecretFinding } from "../../core/compose/send/secretFinding.ts";
import { findByRules } from "./secretRules.ts";

/** Milliseconds after which something else may run. */
const sliceMs = 8;
/** UTF-16 units that the rules of secretlint look at in one go, and what two such pieces share. */
const pieceLength = 16_000;
const overlap = 4_000;

/**
 * Finds secrets by the rules of secretlint and by our own, in slices between which the extension host does something
 * else. The time grows with the length of the text and no faster.
 */
export async function findAllSecrets(text: string): Promise<readonly SecretFinding[]> {
  const pause = createPause();
  const scan = scanSecrets(text);
  let step = scan.next();
  while (step.done !== true) {
    await pause();
    step = scan.next();
  }
  const own = step.value.map(({ kind, start, end }) => ({ kind, value: text.slice(start, end) }));
  const byRules: SecretFinding[] = [];
  for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength - overlap) {
    await pause();
    byRules.push(...(await findByRules(text.slice(start, start + pieceLength))));
  }
  return [...byRules.filter((finding) => !isAddress(finding)), ...own];
}

/** An address with its password: the rest of it stays readable where the password alone is found by our own rules. */
function isAddress({ value }: SecretFinding): boolean {
  return /^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(value);
}

function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await nextTurn();
    since = performance.now();
  };
}
