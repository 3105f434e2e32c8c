import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, stringField } from "../../src/core/kernel/json.ts";

/**
 * Makes VS Code treat these folders as installed extensions in place, as its own command "Install Extension from
 * Location…" does: a new build is used after a reload of the window.
 */
export function registerExtensions(extensionsFolder: string, folders: readonly string[]): void {
  mkdirSync(extensionsFolder, { recursive: true });
  writeFileSync(join(extensionsFolder, "extensions.json"), JSON.stringify(folders.map(describe)));
}

function describe(folder: string): unknown {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!isRecord(manifest)) throw new Error(`${folder} holds no extension.`);
  return {
    identifier: { id: `${stringField(manifest, "publisher")}.${stringField(manifest, "name")}` },
    version: stringField(manifest, "version"),
    location: { $mid: 1, path: folder.replace(/\/$/, ""), scheme: "file" },
    metadata: { source: "location" },
  };
}
