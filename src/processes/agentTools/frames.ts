import { isRecord, stringField } from "../../core/kernel/json.ts";
import { readFileSync } from "node:fs";

/** A message between a window and another program: a header, and a body of bytes that may be long. */
export interface Frame {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const newline = 10;
const longestHead = 64 * 1024;
const longestBody = 16 * 1024 * 1024;
const nothing = Buffer.alloc(0);

/** The header as a line of JSON that includes the length of the body, then the body itself. */
export function writeFrame(head: Readonly<Record<string, unknown>>, body: Buffer = nothing): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, bytes: body.length })}\n`), body]);
}

/** Reassembles what arrives in pieces. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #length = 0;
  #head: { readonly value: Readonly<Record<string, unknown>>; readonly bytes: number } | undefined;

  /** The frames that are complete now. Throws an Error for data that isn't sent by this extension. */
  read(chunk: Buffer): readonly Frame[] {
    this.#pieces.push(chunk);
    this.#length += chunk.length;
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    this.#head ??= this.#readHead();
    if (this.#head === undefined || this.#length < this.#head.bytes) return undefined;
    const { value, bytes } = this.#head;
    this.#head = undefined;
    return { head: value, body: this.#take(bytes) };
  }

  #readHead() {
    const last = this.#pieces.at(-1);
    if (this.#length === 0 || (this.#pieces.length > 1 && last?.includes(newline) !== true)) {
      if (this.#length > longestHead) throw new Error("A message never ended.");
      return undefined;
    }
    const all = this.#join();
    const end = all.indexOf(newline);
    if (end === -1) return undefined;
    const value: unknown = JSON.parse(this.#take(end + 1).toString("utf8"));
    const bytes = isRecord(value) ? value["bytes"] : undefined;
    if (!isRecord(value) || typeof bytes !== "number" || !(bytes >= 0 && bytes <= longestBody)) {
      throw new Error("Invalid message.");
    }
    return { value, bytes };
  }

  #join(): Buffer {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? nothing) : Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }

  #take(count: number): Buffer {
    const all = this.#join();
    this.#pieces = [all.subarray(count)];
    this.#length -= count;
    return all.subarray(0, count);
  }
}

/** The address of a window, in a file that only this user can read. */
export interface LinkAddress {
  readonly path: string;
  /** Known only to those who can read the file, because named pipes on Windows are open to everyone. */
  readonly token: string;
}

/** Undefined if no window has announced an address. */
export function readLinkAddress(file: string): LinkAddress | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    const path = isRecord(stored) ? stringField(stored, "path") : undefined;
    const token = isRecord(stored) ? stringField(stored, "token") : undefined;
    return path === undefined || token === undefined ? undefined : { path, token };
  } catch {
    return undefined;
  }
}
