import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseImport } from "../../core/import/parseImport.ts";
import type { ImportFile, Imported } from "../../core/import/imported.ts";

/** What one file has brought; undefined where it is none of the kinds that are known, or can't be read. */
export interface ImportedFile {
  readonly path: string;
  readonly imported: Imported | undefined;
}

/** Folders inside folders are looked into so far: Cline's tasks are two below the folder of the extension. */
const deepest = 4;

/** Bytes; a longer text is more than a program can hold. */
const largestText = 500_000_000;

/** Reads files and folders, one file at a time. What a folder has beside conversations is passed over in silence. */
export async function* readImportSources(paths: readonly string[]): AsyncGenerator<ImportedFile> {
  for (const path of paths) {
    const info = await stat(path).catch(() => undefined);
    if (info?.isDirectory() !== true) {
      yield { path, imported: await importFile(path) };
      continue;
    }
    for await (const file of jsonFiles(path, 0)) {
      const imported = await importFile(file);
      if (imported !== undefined) yield { path: file, imported };
    }
  }
}

async function importFile(path: string): Promise<Imported | undefined> {
  try {
    const { mtimeMs, size } = await stat(path);
    if (size > largestText) return undefined;
    const file: ImportFile = { path, modifiedAt: Math.round(mtimeMs) };
    const bytes = await readFile(path);
    if (isZip(bytes)) {
      const { readChatGptArchive } = await import("./chatGptArchive.ts");
      return readChatGptArchive(bytes, file);
    }
    return parseImport(JSON.parse(bytes.toString("utf8").replace(/^\ufeff/u, "")), file);
  } catch {
    return undefined;
  }
}

function isZip(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(Buffer.from([0x50, 0x4b, 0x03, 0x04]));
}

async function* jsonFiles(folder: string, depth: number): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < deepest && entry.name !== "node_modules")
      yield* jsonFiles(path, depth + 1);
    // The same task, with less in it.
    const isDouble = entry.name === "ui_messages.json" && names.has("api_conversation_history.json");
    if (entry.isFile() && entry.name.endsWith(".json") && !isDouble) yield path;
  }
}
