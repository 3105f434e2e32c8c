import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";

/** The part of a database that is in its write-ahead log. */
interface LogContent {
  /** In bytes. */
  readonly pageSize: number;
  /** Offset in the log of the last committed form of each page, by page number starting at 1. */
  readonly pages: ReadonlyMap<number, number>;
  /** Older forms of other pages, which were copied to the database file before the current pass of the log. */
  readonly formerPages: ReadonlyMap<number, number>;
  /** The number of pages in the database; 0 if the log contains no commit. */
  readonly pageCount: number;
}

/**
 * SQLite's log format: a header, then frames, each with its own header and one page. In bytes. The header has other
 * random numbers each time the log is rewritten from its start.
 */
export const logHeaderSize = 32;
const frameHeaderSize = 24;
/** The last bit indicates whether checksums read the log as big-endian numbers. */
const magic = 0x377f0682;

type Checksum = readonly [number, number];

interface Frame {
  readonly page: number;
  /** Greater than 0 if the frame ends a transaction. */
  readonly pageCount: number;
  readonly salts: string;
  readonly checksum: Checksum;
  readonly bytes: Buffer;
}

/** Whether there is a log that isn't empty. */
export function hasLog(path: string): boolean {
  return existsSync(path) && statSync(path).size > logHeaderSize;
}

/** Reads a log without its database. Undefined if it isn't a log. */
function readLog(path: string): LogContent | undefined {
  const descriptor = openSync(path, "r");
  try {
    const header = readBytes(descriptor, 0, logHeaderSize);
    if (header === undefined || (header.readUInt32BE(0) & ~1) >>> 0 !== magic) return undefined;
    return new LogReader(descriptor, header).read();
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Collects the pages of the frames. A log is repeatedly rewritten from the start, each time with different salts. The
 * frames after the current ones are from the previous pass.
 */
class LogReader {
  readonly #descriptor: number;
  readonly #pageSize: number;
  readonly #isBigEndian: boolean;
  readonly #salts: string;
  readonly #first: Checksum;
  readonly #pages = new Map<number, number>();
  readonly #formerPages = new Map<number, number>();
  readonly #formerSalts = new Map<number, string>();
  #pageCount = 0;

  constructor(descriptor: number, header: Buffer) {
    this.#descriptor = descriptor;
    this.#isBigEndian = (header.readUInt32BE(0) & 1) === 1;
    const pageSize = header.readUInt32BE(8);
    this.#pageSize = pageSize === 1 ? 65_536 : pageSize;
    this.#salts = header.toString("hex", 16, 24);
    this.#first = checksumOf(header.subarray(0, 24), [0, 0], this.#isBigEndian);
  }

  read(): LogContent | undefined {
    const frameSize = frameHeaderSize + this.#pageSize;
    if (this.#pageSize < 512 || this.#pageSize > 65_536) return undefined;
    const count = Math.floor((fstatSync(this.#descriptor).size - logHeaderSize) / frameSize);
    let [salts, before] = [this.#salts, this.#first];
    let transaction = new Map<number, number>();
    for (let index = 0; index < count; index++) {
      const offset = logHeaderSize + index * frameSize;
      const frame = this.#readFrame(offset);
      if (frame === undefined) break;
      if (frame.salts !== salts) {
        transaction = new Map();
        salts = frame.salts;
      }
      // A frame is checked together with the one before it, which has been overwritten for the first frame of an older
      // pass.
      const isSound = equals(checksumOf(frame.bytes, before, this.#isBigEndian), frame.checksum);
      before = frame.checksum;
      if (!isSound) continue;
      transaction.set(frame.page, offset + frameHeaderSize);
      if (frame.pageCount === 0) continue;
      this.#commit(transaction, frame);
      transaction = new Map();
    }
    return {
      pageSize: this.#pageSize,
      pages: this.#pages,
      formerPages: this.#formerPages,
      pageCount: this.#pageCount,
    };
  }

  #commit(transaction: ReadonlyMap<number, number>, { pageCount, salts }: Frame): void {
    const isCurrent = salts === this.#salts;
    if (isCurrent) this.#pageCount = pageCount;
    for (const [page, offset] of transaction) {
      if (isCurrent) this.#pages.set(page, offset);
      // Frames further back are older, so of two previous passes the first is worth more.
      else if ((this.#formerSalts.get(page) ?? salts) === salts) {
        this.#formerSalts.set(page, salts);
        this.#formerPages.set(page, offset);
      }
    }
  }

  #readFrame(offset: number): Frame | undefined {
    const bytes = readBytes(this.#descriptor, offset, frameHeaderSize + this.#pageSize);
    if (bytes === undefined) return undefined;
    const page = bytes.readUInt32BE(0);
    if (page === 0) return undefined;
    return {
      page,
      pageCount: bytes.readUInt32BE(4),
      salts: bytes.toString("hex", 8, 16),
      checksum: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
      bytes: Buffer.concat([bytes.subarray(0, 8), bytes.subarray(frameHeaderSize)]),
    };
  }
}

function readBytes(descriptor: number, offset: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readSync(descriptor, bytes, 0, length, offset) === length ? bytes : undefined;
}

/** SQLite's log checksum, which continues from the previous one. */
function checksumOf(bytes: Buffer, before: Checksum, isBigEndian: boolean): Checksum {
  let [first, second] = before;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const [one, two] = isBigEndian
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    first = (first + one + second) >>> 0;
    second = (second + two + first) >>> 0;
  }
  return [first, second];
}

function equals([one, other]: Checksum, [first, second]: Checksum): boolean {
  return one === first && other === second;
}

/**
 * Writes the pages of a log into a copy of its database, which may be empty or missing. Does nothing if there is no
 * log.
 */
export function applyLog(copy: string, logPath: string): void {
  const content = hasLog(logPath) ? readLog(logPath) : undefined;
  if (content === undefined) return;
  const [log, target] = [openSync(logPath, "r"), openSync(copy, existsSync(copy) ? "r+" : "w+", 0o600)];
  try {
    const { pageSize, pages, formerPages, pageCount } = content;
    for (const [page, offset] of formerPages) {
      if (pages.has(page) || !isMissing(target, page, pageSize)) continue;
      copyPage({ log, offset, target, page, pageSize });
    }
    for (const [page, offset] of pages) copyPage({ log, offset, target, page, pageSize });
    // A whole number of pages, even if the last one was never in the log.
    const size = Math.max(fstatSync(target).size, pageCount * pageSize);
    ftruncateSync(target, Math.ceil(size / pageSize) * pageSize);
  } finally {
    closeSync(log);
    closeSync(target);
  }
}

interface PageCopy {
  readonly log: number;
  readonly offset: number;
  readonly target: number;
  readonly page: number;
  readonly pageSize: number;
}

function copyPage({ log, offset, target, page, pageSize }: PageCopy): void {
  const bytes = readBytes(log, offset, pageSize);
  if (bytes !== undefined) writeSync(target, bytes, 0, pageSize, (page - 1) * pageSize);
}

/** Whether the file ends before the page, or contains only zeros there. */
function isMissing(descriptor: number, page: number, pageSize: number): boolean {
  const bytes = readBytes(descriptor, (page - 1) * pageSize, pageSize);
  return bytes === undefined || bytes.every((byte) => byte === 0);
}
