import { t } from "@vscode/l10n";
import type { FileFacts } from "./fileFacts.ts";

/** Bytes of which an archive consists. */
const blockBytes = 512;

// Node has these functions, but the library of types for this floor doesn't.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { readonly ignoreBOM: boolean },
) => {
  decode(data: Uint8Array): string;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Number of bytes that follow a file's content, so that the next block begins. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

/** What an archive ends with. */
export const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes);

const typeFlags = { file: "0", link: "2", folder: "5" } as const;

/**
 * What precedes the content of an entry in an archive. A long name is stored as GNU's tar does, because all programs
 * read that, including BusyBox.
 */
export function tarHeader({ kind, size, modifiedAt, mode, path, target = "" }: FileFacts): Uint8Array {
  const name = encoder.encode(kind === "folder" ? `${path}/` : path);
  const link = encoder.encode(target);
  const facts = { mode, modifiedAt, size: kind === "file" ? size : 0, flag: typeFlags[kind] };
  const blocks = [...longName(link, "K"), ...longName(name, "L"), headerBlock(name, link, facts)];
  return joinBytes(blocks);
}

function longName(name: Uint8Array, flag: string): readonly Uint8Array[] {
  if (name.length <= 100) return [];
  const size = name.length + 1;
  const head = headerBlock(encoder.encode("././@LongLink"), new Uint8Array(), {
    ...{ mode: 0o644, modifiedAt: 0, size, flag },
  });
  return [head, name, new Uint8Array(1 + paddingOf(size))];
}

function headerBlock(
  name: Uint8Array,
  link: Uint8Array,
  facts: { readonly mode: number; readonly modifiedAt: number; readonly size: number; readonly flag: string },
): Uint8Array {
  const { mode, modifiedAt, size, flag } = facts;
  const block = new Uint8Array(blockBytes);
  const write = (text: string, at: number): void => block.set(encoder.encode(text), at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  block.set(name.subarray(0, 100), 0);
  // Only the permissions: nothing that is uploaded may run with the rights of its owner.
  write(octal(mode & 0o777, 7), 100);
  write(octal(0, 7), 108);
  write(octal(0, 7), 116);
  if (size < 8 ** 11) write(octal(size, 11), 124);
  else {
    block[124] = 0x80;
    for (let at = 135, rest = size; at > 124 && rest > 0; at--, rest = Math.floor(rest / 256))
      block[at] = rest % 256;
  }
  write(octal(Math.min(Math.max(0, modifiedAt), 8 ** 11 - 1), 11), 136);
  write(`${" ".repeat(8)}${flag}`, 148);
  block.set(link.subarray(0, 100), 157);
  write("ustar  ", 257);
  write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return block;
}

/** The bytes of all parts. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Reads exact numbers of bytes from pieces of any size, without keeping more than one of them. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next piece with at most this many bytes; undefined at the end. */
  async piece(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return undefined;
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** Up to this many bytes; fewer only at the end. */
  async take(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = count; left > 0;) {
      const piece = await this.piece(left);
      if (piece === undefined) break;
      parts.push(piece);
      left -= piece.length;
    }
    return joinBytes(parts);
  }

  /** This many bytes, in pieces. Throws if there are fewer. */
  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0;) {
      const piece = await this.piece(left);
      if (piece === undefined) throw new CutShort();
      left -= piece.length;
      yield piece;
    }
  }

  /** Skips everything up to this line, within the first bytes; false if there is no such line. */
  async skipLine(line: string, most: number): Promise<boolean> {
    const searched = `\n${line}\n`;
    let seen = "\n";
    for (let count = 0; count < most;) {
      const piece = await this.piece(4_096);
      if (piece === undefined) return false;
      const before = seen.length;
      // One character for each byte, so that positions count bytes.
      seen += Array.from(piece, (byte) => String.fromCharCode(byte)).join("");
      const found = seen.indexOf(searched);
      if (found !== -1) {
        this.#rest = joinBytes([piece.subarray(found + searched.length - before), this.#rest]);
        return true;
      }
      count += piece.length;
      seen = seen.slice(-searched.length);
    }
    return false;
  }
}

/** The bytes ended too early. */
export class CutShort extends Error {}

/** What another attempt wouldn't change. */
function notAnArchive(): Error {
  return new Error(t("The server sent something other than the requested files."));
}

/** An entry of an archive from a server. Its path isn't checked. */
interface ArchivedFile {
  readonly path: string;
  /** The letter for its kind. A hard link is `1`. */
  readonly flag: string;
  readonly size: number;
  readonly target: string;
}

/** Bytes of a long name or of further facts about an entry. */
const mostFacts = 1_000_000;

/**
 * The next entry, whose content has to be read before the next call; undefined if something else follows than an
 * archive. Archives may follow each other. The names may be stored in the way of any tar.
 */
export async function nextEntry(reader: ByteReader): Promise<ArchivedFile | { readonly rest: string }> {
  let path: string | undefined;
  let target: string | undefined;
  let size: number | undefined;
  for (;;) {
    const block = await reader.take(blockBytes);
    if (block.length < blockBytes) return { rest: decoder.decode(block) };
    if (block.every((byte) => byte === 0)) continue;
    if (!hasValidSum(block)) throw notAnArchive();
    const flag = String.fromCharCode(block[156] ?? 0).replace("\0", "0");
    const ownSize = readNumber(block, 124, 12);
    if (!/[LKxg]/.test(flag)) {
      // GNU's tar stores times there.
      const prefix = textAt(block, 257, 8).startsWith("ustar  ") ? "" : textAt(block, 345, 155);
      const name = `${prefix === "" ? "" : `${prefix}/`}${textAt(block, 0, 100)}`;
      const facts = { flag, size: size ?? ownSize };
      const found = (path ?? name).replace(/^\.\//, "").replace(/\/$/, "");
      return { ...facts, path: found, target: target ?? textAt(block, 157, 100) };
    }
    if (ownSize > mostFacts) throw notAnArchive();
    const facts = await reader.take(ownSize);
    await reader.take(paddingOf(ownSize));
    if (flag === "L") path = textAt(facts, 0, facts.length);
    else if (flag === "K") target = textAt(facts, 0, facts.length);
    else if (flag === "x") {
      const further = readFurtherFacts(facts);
      path = further.get("path") ?? path;
      target = further.get("linkpath") ?? target;
      size = further.has("size") ? Number(further.get("size")) : size;
      // Only parts of such a file are in the archive.
      if ([...further.keys()].some((key) => key.startsWith("GNU.sparse"))) throw notAnArchive();
    }
  }
}

function hasValidSum(block: Uint8Array): boolean {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  return sum === readNumber(block, 148, 8);
}

function textAt(block: Uint8Array, at: number, length: number): string {
  const bytes = block.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end));
}

function readNumber(block: Uint8Array, at: number, length: number): number {
  const first = block[at] ?? 0;
  if (first < 0x80) return Number.parseInt(textAt(block, at, length).trim() || "0", 8);
  return block.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
}

/** Records such as `30 path=…`, which begin with their length. */
function readFurtherFacts(bytes: Uint8Array): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(decoder.decode(bytes.subarray(at, at + 10)), 10);
    if (!(length > 0)) throw notAnArchive();
    const record = decoder.decode(bytes.subarray(at, at + length - 1));
    const [head = ""] = record.split("=", 1);
    facts.set(head.slice(head.indexOf(" ") + 1), record.slice(head.length + 1));
    at += length;
  }
  return facts;
}
