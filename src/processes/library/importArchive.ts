import { joinImported } from "../../core/library/import/imported.ts";
import type { ImportFile, Imported } from "../../core/library/import/imported.ts";
import type { ImportProblem } from "../../core/library/import/importTally.ts";
import { parseImportText } from "../../core/library/import/parseImport.ts";
import { ZipReader } from "./zip.ts";
import type { ZipEntry } from "./zip.ts";

/** Maximum numbers of bytes to unpack, because an archive can claim any size. */
const largestText = 300_000_000;
/** All texts together may be this many times as large as the archive: conversations are compressed to about a fifth. */
const largestRatio = 100;
/** Bytes of texts that are imported at once, unless a single one is longer. */
const sliceLength = 1_000_000;
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
 * Reads the conversations in a zipped export, with the images, audio and texts in it, one file at a time, so that the
 * size of the whole doesn't matter. Large exports consist of several files, and some files contain something else.
 */
export function* readImportArchive(path: string, file: ImportFile): Generator<Imported | ImportProblem> {
  const archive = open(path);
  if (archive === undefined) return yield "archive";
  try {
    const assets = new Assets(archive);
    let room = largestText + largestRatio * archive.size;
    let [hasFound, tooLarge, length] = [false, 0, 0];
    const waiting: Imported[] = [];
    for (const entry of archive.entries.filter(({ name }) => isConversationFile(name))) {
      const bytes = bytesOf(entry);
      if (bytes > Math.min(room, largestText)) {
        if (expected.test(entry.name)) tooLarge++;
        continue;
      }
      room -= bytes;
      const imported = parseEntry(archive, entry, { ...file, ...assets.forOneFile() });
      if (imported === undefined) continue;
      hasFound = true;
      waiting.push(imported);
      length += bytes;
      if (length < sliceLength) continue;
      yield joinImported(waiting.splice(0));
      length = 0;
    }
    if (hasFound) yield joinImported([...waiting, { conversations: [], leftOut: tooLarge }]);
    else yield tooLarge > 0 ? "tooLarge" : "archive";
  } finally {
    archive.close();
  }
}

function open(path: string): ZipReader | undefined {
  try {
    return new ZipReader(path);
  } catch {
    return undefined;
  }
}

function isConversationFile(name: string): boolean {
  return /\.jsonl?$/u.test(name) && !name.startsWith("__MACOSX/");
}

/** Content that isn't compressed is as large as it is in the archive, whatever the archive claims. */
function bytesOf({ size, compressedSize }: ZipEntry): number {
  return Math.max(size, compressedSize);
}

/** One damaged file must not prevent the others from being read. */
function parseEntry(archive: ZipReader, entry: ZipEntry, file: ImportFile): Imported | undefined {
  try {
    // A byte order mark isn't JSON.
    const imported = parseImportText(
      archive
        .read(entry)
        .toString()
        .replace(/^\ufeff/u, ""),
      file,
    );
    if (imported !== "notJson") return imported;
  } catch {
    // Treated like one that isn't JSON.
  }
  return expected.test(entry.name) ? { conversations: [], leftOut: 1 } : undefined;
}

/** The text in UTF-8, or in UTF-16 with a byte order mark, which some shells write; undefined for anything else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const encoding = isLittle ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The images, audio and texts of an archive. */
class Assets {
  readonly #archive: ZipReader;
  #byName: ReadonlyMap<string, ZipEntry> | undefined;

  constructor(archive: ZipReader) {
    this.#archive = archive;
  }

  /** What one of the files with conversations may use; all of it is in memory at the same time. */
  forOneFile(): Required<Pick<ImportFile, "asset" | "text">> {
    let room = largestAssets;
    const find = (name: string): Buffer | undefined => {
      const content = this.#find(name, room);
      room -= content?.length ?? 0;
      return content;
    };
    return {
      asset: (name) => find(name)?.toString("base64"),
      text(name) {
        const content = find(name);
        if (content === undefined || content.length > largestAttachedText) return undefined;
        const text = decodeText(content);
        return text?.includes("\0") === true ? undefined : text;
      },
    };
  }

  #find(name: string, room: number): Buffer | undefined {
    this.#byName ??= this.#names();
    const entry = this.#byName.get(name) ?? this.#byName.get(stemOf(name));
    if (entry === undefined) return undefined;
    const isMedia = /\.(?:png|jpe?g|gif|webp|wav|mp3|dat)$/iu.test(entry.name);
    if (bytesOf(entry) > Math.min(room, isMedia ? largestAsset : largestAttachedText)) return undefined;
    try {
      return this.#archive.read(entry);
    } catch {
      // A damaged image must not prevent the texts from being read: it counts as not in the archive.
      return undefined;
    }
  }

  #names(): ReadonlyMap<string, ZipEntry> {
    const byName = new Map<string, ZipEntry>();
    for (const entry of this.#archive.entries) {
      if ([/\/$|^__MACOSX\//u, expected, ofAccount].some((names) => names.test(entry.name))) continue;
      const base = entry.name.slice(entry.name.lastIndexOf("/") + 1);
      for (const name of [stemOf(base), base]) byName.set(name, entry);
    }
    return byName;
  }
}

/** What names refer to: an ID without the ending, and without the description that ChatGPT adds to its own. */
function stemOf(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1);
  return /^file[-_][A-Za-z0-9]+/u.exec(base)?.[0] ?? base.replace(/\.[A-Za-z0-9]{1,5}$/u, "");
}
