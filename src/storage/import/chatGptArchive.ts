import { strFromU8, unzipSync } from "fflate";
import { joinImported } from "../../core/import/imported.ts";
import type { ImportFile, Imported } from "../../core/import/imported.ts";
import { parseImport } from "../../core/import/parseImport.ts";

/** Bytes that are unpacked at most: an archive may promise anything. */
const largestText = 500_000_000;

/** Reads the conversations in an export of ChatGPT as it is sent; large ones come in several files. */
export function readChatGptArchive(bytes: Uint8Array, file: ImportFile): Imported | undefined {
  let room = largestText;
  const files = unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (!/(?:^|\/)conversations[\w-]*\.json$/u.test(name) || originalSize > room) return false;
      room -= originalSize;
      return true;
    },
  });
  const parts = Object.values(files).flatMap((content) => {
    const imported = parseText(strFromU8(content), file);
    return imported === undefined ? [] : [imported];
  });
  return parts.length === 0 ? undefined : joinImported(parts);
}

/** One broken file doesn't cost the others. */
function parseText(text: string, file: ImportFile): Imported | undefined {
  try {
    return parseImport(JSON.parse(text), file);
  } catch {
    return { conversations: [], leftOut: 1 };
  }
}
