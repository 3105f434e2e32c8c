import { strFromU8, unzipSync } from "fflate";
import { joinImported } from "../../core/library/import/imported.ts";
import type { ImportFile, Imported } from "../../core/library/import/imported.ts";
import type { ImportProblem } from "../../core/library/import/importProblem.ts";
import { parseImport } from "../../core/library/import/parseImport.ts";

/** Maximum number of bytes to unpack, because an archive can claim any size. */
const largestText = 300_000_000;

/** Reads the conversations in a ChatGPT export as downloaded. Large exports consist of several files. */
export function readChatGptArchive(bytes: Uint8Array, file: ImportFile): Imported | ImportProblem {
  const archive = unpack(bytes);
  if (archive === undefined) return "archive";
  const parts = archive.texts.map((text) => parseText(text, file)).filter((part) => part !== undefined);
  if (parts.length === 0) return archive.tooLarge > 0 ? "tooLarge" : "archive";
  return joinImported([...parts, { conversations: [], leftOut: archive.tooLarge }]);
}

/** The texts that contain conversations, and how many were too large; undefined if the archive is damaged. */
function unpack(
  bytes: Uint8Array,
): { readonly texts: readonly string[]; readonly tooLarge: number } | undefined {
  let room = largestText;
  let tooLarge = 0;
  try {
    const files = unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!/(?:^|\/)conversations[\w-]*\.json$/u.test(name)) return false;
        const hasRoom = originalSize <= room;
        if (hasRoom) room -= originalSize;
        else tooLarge++;
        return hasRoom;
      },
    });
    return { texts: Object.values(files).map((content) => strFromU8(content)), tooLarge };
  } catch {
    return undefined;
  }
}

/** One damaged file must not cost the others. */
function parseText(text: string, file: ImportFile): Imported | undefined {
  try {
    return parseImport(JSON.parse(text), file);
  } catch {
    return { conversations: [], leftOut: 1 };
  }
}
