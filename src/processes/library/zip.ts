import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32, inflateRawSync } from "node:zlib";

// The format is described in PKWARE's APPNOTE.TXT. Its 64-bit records, for more than 4 GB, aren't read.

const fileHeader = 0x04034b50;
const directoryHeader = 0x02014b50;
const directoryEnd = "PK\x05\x06";

const [inUtf8, isEncrypted] = [0x800, 0x1];
const [stored, deflated] = [0, 8];

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

/** More than the end of an archive with the longest comment. */
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
    const end = tail.lastIndexOf(directoryEnd);
    if (end === -1) throw new Error("The archive has no end.");
    const [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
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
    const [size, compressedSize, offset] = [
      directory.readUInt32LE(at + 24),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 42),
    ];
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
