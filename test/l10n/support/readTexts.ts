import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../../src/core/kernel/json.ts";

/** The extension's languages besides English, with VS Code's identifiers. */
export const languages = ["de", "ja", "zh-cn"] as const;

/** A file of texts by key. The path is relative to the repository's root. */
export function readTexts(path: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8"),
  );
  assert.ok(isRecord(value), path);
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      assert.ok(typeof text === "string", `${path}: ${key}`);
      return [key, text];
    }),
  );
}
