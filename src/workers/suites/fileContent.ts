import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isSecretFile } from "../../core/compose/context/excludeRules.ts";
import { refuseLarge } from "../../core/suites/suiteFiles.ts";
import type { FileContent } from "../../core/suites/suiteFiles.ts";

/** The bytes of a file that a suite names. */
export function fileContent(bytes: Buffer): FileContent {
  return {
    bytes,
    base64: () => bytes.toString("base64"),
    utf8() {
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        return undefined;
      }
    },
  };
}

/** A file named by a suite has to be in the working directory or next to the suite, wherever its links lead. */
export async function readInside(suite: string, file: string): Promise<FileContent> {
  const target = await realpath(join(dirname(suite), file));
  if (isSecretFile(file) || isSecretFile(target))
    throw new Error("A file with this name usually contains keys or passwords, so it isn't read.");
  const roots = await Promise.all([realpath("."), realpath(dirname(suite))]);
  if (!roots.some((root) => target.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)))
    throw new Error("It is outside the working directory.");
  const facts = await stat(target);
  // A pipe or a device may never end.
  if (!facts.isFile()) throw new Error("It isn't a file.");
  refuseLarge(facts.size);
  return fileContent(await readFile(target));
}
