import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Readable, pipeline } from "node:stream";
import { crc32, createDeflateRaw, inflateRawSync } from "node:zlib";

// The format is described in PKWARE's APPNOTE.TXT. Its 64-bit records are needed for 65,535 files or more, and beyond
// 4 GB; other programs ignore them in a smaller archive.

const fileHeader = 0x04034b50;
const fileEnd = 0x08074b50;
const directoryHeader = 0x02014b50;
const directoryEnd = 0x06054b50;
const directoryEnd64 = 0x06064b50;
const directoryLocator64 = 0x07064b50;

/** The highest values of fields, which mean that the actual value is in a 64-bit record. */
const [most16, most32] = [0xffff, 0xffffffff];
/** Versions of the format that a reader needs. */
const [version, version64] = [20, 45];
const [inUtf8, sizesFollow, isEncrypted] = [0x800, 0x8, 0x1];
const [stored, deflated] = [0, 8];
/** The ID of the extra field with 64-bit values. */
const wideValues = 1;

/** A file to write into an archive. */
export interface ZipInput {
  /** Its path in the archive. */
  readonly name: string;
  /** Its content, taken one piece at a time. */
  readonly texts: Iterable<string>;
}

/**
 * Writes an archive of any size, one file after the other, compressed outside of this thread.
 * @param modifiedAt The time of the files.
 */
export async function* zipChunks(inputs: AsyncIterable<ZipInput>, modifiedAt: Date): AsyncGenerator<Buffer> {
  const written: WrittenFile[] = [];
  let offset = 0;
  for await (const { name, texts } of inputs) {
    const head = Buffer.concat([uint32(fileHeader), headerOf(name, modifiedAt), Buffer.from(name)]);
    yield head;
    const facts = yield* compress(texts);
    const tail = uint32(fileEnd, facts.crc, facts.compressed, facts.size);
    yield tail;
    written.push({ name, offset, ...facts });
    offset += head.length + facts.compressed + tail.length;
  }
  let size = 0;
  for (const file of written) {
    const record = directoryRecord(file, modifiedAt);
    size += record.length;
    yield record;
  }
  yield endOf(written.length, size, offset);
}

/** The checksum of a content, and its sizes in bytes. */
interface ContentFacts {
  readonly crc: number;
  readonly compressed: number;
  readonly size: number;
}

/** Small, because there may be very many: a record of the directory would keep a whole block of memory. */
interface WrittenFile extends ContentFacts {
  readonly name: string;
  readonly offset: number;
}

const unknownFacts: ContentFacts = { crc: 0, compressed: 0, size: 0 };

/** What the headers in front of a file and in the directory have in common. */
function headerOf(
  name: string,
  time: Date,
  { crc, compressed, size } = unknownFacts,
  extraLength = 0,
): Buffer {
  const day = ((time.getFullYear() - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return Buffer.concat([
    uint16(extraLength > 0 ? version64 : version, inUtf8 | sizesFollow, deflated, clock, day),
    uint32(crc, compressed, size),
    uint16(Buffer.byteLength(name), extraLength),
  ]);
}

function directoryRecord(file: WrittenFile, time: Date): Buffer {
  const { name, offset } = file;
  const extra = offset < most32 ? Buffer.alloc(0) : Buffer.concat([uint16(wideValues, 8), uint64(offset)]);
  return Buffer.concat([
    ...[uint32(directoryHeader), uint16(version64), headerOf(name, time, file, extra.length)],
    ...[uint16(0, 0, 0), uint32(0, Math.min(offset, most32)), Buffer.from(name), extra],
  ]);
}

/** The end of an archive whose directory has this many records and bytes, and is at this offset. */
function endOf(count: number, size: number, offset: number): Buffer {
  const shortCount = Math.min(count, most16);
  return Buffer.concat([
    ...[uint32(directoryEnd64), uint64(44), uint16(version64, version64), uint32(0, 0)],
    uint64(count, count, size, offset),
    ...[uint32(directoryLocator64, 0), uint64(offset + size), uint32(1)],
    ...[uint32(directoryEnd), uint16(0, 0, shortCount, shortCount)],
    ...[uint32(Math.min(size, most32), Math.min(offset, most32)), uint16(0)],
  ]);
}

/** Yields the compressed content. */
async function* compress(texts: Iterable<string>): AsyncGenerator<Buffer, ContentFacts> {
  let [crc, compressed, size] = [0, 0, 0];
  function* contents(): Generator<Buffer> {
    for (const text of texts) {
      const bytes = Buffer.from(text);
      crc = crc32(bytes, crc);
      size += bytes.length;
      yield bytes;
    }
  }
  // An error of the texts is thrown where the chunks are read.
  const chunks: AsyncIterable<Buffer> = pipeline(
    Readable.from(contents()),
    createDeflateRaw(),
    () => undefined,
  );
  for await (const chunk of chunks) {
    compressed += chunk.length;
    yield chunk;
  }
  return { crc, compressed, size };
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

function uint64(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index);
  return bytes;
}

/** A file in an archive, as the directory of the archive describes it, which may be wrong. */
export interface ZipEntry {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Bytes in the archive. */
  readonly compressedSize: number;
  readonly crc: number;
  readonly flags: number;
  readonly method: number;
  readonly offset: number;
}

/** More than the end of an archive with the longest comment, and the 64-bit record in front of it. */
const longestEnd = 66_000;
/** In bytes: about a million files. */
const largestDirectory = 100_000_000;

/** An open archive, of which any file can be read without the others. */
export class ZipReader {
  readonly #descriptor: number;
  /** In bytes. */
  readonly size: number;
  readonly entries: readonly ZipEntry[];

  /** Throws if the file can't be read, is damaged, or isn't an archive. */
  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
    try {
      this.size = fstatSync(this.#descriptor).size;
      this.entries = entriesIn(this.#readDirectory());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * The content of a file, which is exactly as large as the directory says. Throws if it is damaged, encrypted, or
   * compressed in an unknown way.
   */
  read({ name, size, compressedSize, crc, flags, method, offset }: ZipEntry): Buffer {
    const header = this.#bytes(offset, 30);
    const start = offset + header.length + header.readUInt16LE(26) + header.readUInt16LE(28);
    const bytes = this.#bytes(start, compressedSize);
    const isKnown = (method === stored || method === deflated) && (flags & isEncrypted) === 0;
    if (header.readUInt32LE(0) !== fileHeader || !isKnown) throw new Error(`${name} can't be read.`);
    const content = method === stored ? bytes : inflateRawSync(bytes, { maxOutputLength: Math.max(size, 1) });
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged.`);
    return content;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #readDirectory(): Buffer {
    const tail = this.#bytes(Math.max(0, this.size - longestEnd), Math.min(this.size, longestEnd));
    const end = tail.lastIndexOf(uint32(directoryEnd));
    if (end === -1) throw new Error("The archive has no end.");
    const locator = tail.subarray(Math.max(0, end - 20), end);
    const isWide = locator.length === 20 && locator.readUInt32LE(0) === directoryLocator64;
    const wide = isWide ? this.#bytes(Number(locator.readBigUInt64LE(8)), 56) : undefined;
    const [length, offset] =
      wide === undefined
        ? [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
        : [Number(wide.readBigUInt64LE(40)), Number(wide.readBigUInt64LE(48))];
    if (length > largestDirectory) throw new Error("The archive has too many files.");
    return this.#bytes(offset, length);
  }

  /** Checks the length first, so that no more memory is taken than the file has bytes. */
  #bytes(start: number, length: number): Buffer {
    if (start + length > this.size) throw new Error("The archive is truncated.");
    const bytes = Buffer.alloc(length);
    for (let read = 0; read < length;) {
      const more = readSync(this.#descriptor, bytes, read, length - read, start + read);
      if (more === 0) throw new Error("The archive has become shorter.");
      read += more;
    }
    return bytes;
  }
}

function entriesIn(directory: Buffer): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === directoryHeader;) {
    const flags = directory.readUInt16LE(at + 8);
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const [size = 0, compressedSize = 0, offset = 0] = widen(
      [24, 20, 42].map((field) => directory.readUInt32LE(at + field)),
      directory.subarray(nameEnd, extraEnd),
    );
    entries.push({
      name: directory.toString((flags & inUtf8) === 0 ? "latin1" : "utf8", at + 46, nameEnd),
      ...{ size, compressedSize, offset, flags },
      crc: directory.readUInt32LE(at + 16),
      method: directory.readUInt16LE(at + 10),
    });
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** The values of fields, with those that are too large for their fields taken from the extra field. */
function widen(values: readonly number[], extra: Buffer): readonly number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== wideValues) continue;
    let next = at + 4;
    return values.map((value) => {
      if (value !== most32) return value;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
  }
  return values;
}
