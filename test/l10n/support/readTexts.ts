import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../../src/core/kernel/json.ts";

/** The languages beside English that the extension speaks, as VS Code names them. */
export const languages = ["de", "ja", "zh-cn"] as const;

/** A file of texts by their keys, at a path from the root of the repository. */
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
