import { readFileSync } from "node:fs";
import { ownPayloads } from "./ownAttacks.ts";

export interface Attack {
  readonly id: string;
  readonly category: string;
  readonly payload: string;
}

/**
 * Payloads collected from the suites of DOMPurify, markdown-it and VS Code (test/fixtures/rendering-attacks.json), and
 * our own.
 */
export function readAttacks(): readonly Attack[] {
  const file = new URL("../../fixtures/rendering-attacks.json", import.meta.url);
  const corpus: { payloads: Attack[] } = JSON.parse(readFileSync(file, "utf8"));
  const own = ownPayloads.map((payload, index) => ({ id: `own-${index + 1}`, category: "own", payload }));
  return [...corpus.payloads, ...own];
}
