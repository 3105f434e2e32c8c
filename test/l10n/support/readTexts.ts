import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../../src/core/kernel/json.ts";

const root = new URL("../../../", import.meta.url);

/** The extension's languages besides English, with VS Code's identifiers: one file of texts for each. */
export const languages: readonly string[] = readdirSync(new URL("media/l10n", root)).map(
  (name) => /^bundle\.l10n\.(.+)\.json$/.exec(name)?.[1] ?? name,
);

/** A file of texts by key. The path is relative to the repository's root. */
export function readTexts(path: string): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(readFileSync(fileURLToPath(new URL(path, root)), "utf8"));
  assert.ok(isRecord(value), path);
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      assert.ok(typeof text === "string", `${path}: ${key}`);
      return [key, text];
    }),
  );
}
