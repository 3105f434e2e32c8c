import { strFromU8, unzipSync } from "fflate";
import type { UnzipFileInfo, Unzipped } from "fflate";
import { joinImported } from "../../core/library/import/imported.ts";
import type { ImportFile, Imported } from "../../core/library/import/imported.ts";
import type { ImportProblem } from "../../core/library/import/importTally.ts";
import { replaySessionLog } from "../../core/library/import/parseVscodeChat.ts";
import { parseImport, parseImportText } from "../../core/library/import/parseImport.ts";

/** Maximum numbers of bytes to unpack, because an archive can claim any size. */
const largestText = 300_000_000;
const largestAsset = 30_000_000;
const largestAssets = 500_000_000;
/** As large as a file that can be attached in the chat. */
const largestAttachedText = 1_000_000;

/** What exports contain about the account. A file that the user attached can have the same name. */
const ofAccount =
  /^(?:[^/]*\/)?(?:users?|projects|memories|message_feedback|model_comparisons|shared_conversations|user_settings)\.json$/u;

/** Files that contain conversations in known exports: if one of these can't be read, something is missing. */
const expected = /(?:^|\/)(?:conversations[\w-]*|chat)\.json$/u;

/**
 * Reads the conversations in a zipped export as downloaded, with the images, audio and texts in it. Large exports
 * consist of several files, and some files contain something else.
 */
export function readImportArchive(bytes: Uint8Array, file: ImportFile): Imported | ImportProblem {
  const archive = unpack(bytes);
  if (archive === undefined) return "archive";
  const assets = new Assets(bytes);
  const parts = [...archive.texts].map(([name, text]) =>
    parseText(text, name, {
      ...file,
      asset: (wanted) => assets.find(wanted)?.toString("base64"),
      text: (wanted) => decodeText(assets.find(wanted)),
    }),
  );
  const found = parts.filter((part) => part !== undefined);
  if (found.length === 0) return archive.tooLarge > 0 ? "tooLarge" : "archive";
  return joinImported([...found, { conversations: [], leftOut: archive.tooLarge }]);
}

/** The texts that may contain conversations, and how many were too large; undefined if the archive is damaged. */
function unpack(
  bytes: Uint8Array,
): { readonly texts: ReadonlyMap<string, string>; readonly tooLarge: number } | undefined {
  let room = largestText;
  let tooLarge = 0;
  try {
    const files = unzipSync(bytes, {
      filter(entry) {
        const { name } = entry;
        if (!/\.jsonl?$/u.test(name) || name.startsWith("__MACOSX/")) return false;
        const bytes = bytesOf(entry);
        const hasRoom = bytes <= room;
        if (hasRoom) room -= bytes;
        else if (expected.test(name)) tooLarge++;
        return hasRoom;
      },
    });
    return {
      texts: new Map(Object.entries(files).map(([name, content]) => [name, strFromU8(content)])),
      tooLarge,
    };
  } catch {
    return undefined;
  }
}

/** Content that isn't compressed is as large as it is in the archive, whatever the archive claims. */
function bytesOf({ size, originalSize }: UnzipFileInfo): number {
  return Math.max(size, originalSize);
}

/** One damaged file must not prevent the others from being read. */
function parseText(text: string, name: string, file: ImportFile): Imported | undefined {
  try {
    // A byte order mark isn't JSON.
    const session = replaySessionLog(text);
    if (session !== undefined) return parseImport(session, file);
    const imported = parseImportText(text.replace(/^\ufeff/u, ""), file);
    if (imported !== "notJson") return imported;
  } catch {
    // Treated like one that isn't JSON.
  }
  return expected.test(name) ? { conversations: [], leftOut: 1 } : undefined;
}

/**
 * The text in UTF-8, or in UTF-16 with a byte order mark; undefined for anything else, and for more than an attachment
 * can contain.
 */
function decodeText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length > largestAttachedText) return undefined;
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const encoding = isLittle ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The images, audio and texts of an archive, unpacked when the first one is needed. */
class Assets {
  readonly #bytes: Uint8Array;
  #byName: ReadonlyMap<string, Uint8Array> | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  find(name: string): Buffer | undefined {
    this.#byName ??= this.#unpack();
    const content = this.#byName.get(name) ?? this.#byName.get(stemOf(name));
    return content === undefined
      ? undefined
      : Buffer.from(content.buffer, content.byteOffset, content.length);
  }

  #unpack(): ReadonlyMap<string, Uint8Array> {
    let room = largestAssets;
    let files: Unzipped = {};
    try {
      files = unzipSync(this.#bytes, {
        filter(entry) {
          const { name } = entry;
          const bytes = bytesOf(entry);
          const isMedia = /\.(?:png|jpe?g|gif|webp|wav|mp3|dat)$/iu.test(name);
          const largest = isMedia ? largestAsset : largestAttachedText;
          const isAsset = ![/\/$|^__MACOSX\//u, expected, ofAccount].some((names) => names.test(name));
          if (!isAsset || bytes > Math.min(room, largest)) return false;
          room -= bytes;
          return true;
        },
      });
    } catch {
      // A damaged image must not prevent the texts from being read: the images count as not in the archive.
    }
    const byName = new Map<string, Uint8Array>();
    for (const [path, content] of Object.entries(files)) {
      const base = path.slice(path.lastIndexOf("/") + 1);
      for (const name of [stemOf(base), base]) byName.set(name, content);
    }
    return byName;
  }
}

/** What names refer to: an ID without the ending, and without the description that ChatGPT adds to its own. */
function stemOf(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1);
  return /^file[-_][A-Za-z0-9]+/u.exec(base)?.[0] ?? base.replace(/\.[A-Za-z0-9]{1,5}$/u, "");
}
