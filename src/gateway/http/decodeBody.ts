import * as zlib from "node:zlib";
import { Readable } from "node:stream";
import type { Transform } from "node:stream";

/** More layers than any legitimate server uses. */
const maxLayers = 5;

/**
 * The decompressed body, each piece as soon as it is readable. We don't request compression, but a server or a proxy
 * may use it anyway. A truncated body ends where it was cut. `broken` creates the error for bytes that can't be
 * decoded.
 */
export function decodeBody(
  body: Readable,
  contentEncoding: string | undefined,
  broken: (cause: unknown) => Error,
): Readable {
  const names = (contentEncoding ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > maxLayers) return new DecodedBody(body, refuse(names.join(", ")), broken);
  return names.reduceRight<Readable>((inner, name) => new DecodedBody(inner, decoderOf(name), broken), body);
}

/** Creates the decoder when the first bytes have arrived, because they may determine the right one. */
type CreateDecoder = (first: Uint8Array) => Transform;

function decoderOf(name: string): CreateDecoder {
  const options = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (name) {
    case "gzip":
    case "x-gzip":
      return () => zlib.createGunzip(options);
    case "deflate":
      // Some servers omit the zlib header that the name implies.
      return (first) =>
        ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
    case "br":
      return () =>
        zlib.createBrotliDecompress({
          flush: zlib.constants.BROTLI_OPERATION_FLUSH,
          finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
        });
    case "zstd":
      return () =>
        zlib.createZstdDecompress({
          flush: zlib.constants.ZSTD_e_flush,
          finishFlush: zlib.constants.ZSTD_e_flush,
        });
    default:
      return refuse(name);
  }
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(`Unknown content encoding: ${name}`);
  };
}

/** One layer: a stream that fails and closes together with the compressed stream below it. */
class DecodedBody extends Readable {
  readonly #source: Readable;
  readonly #create: CreateDecoder;
  readonly #broken: (cause: unknown) => Error;
  #decoder: Transform | undefined;

  constructor(source: Readable, create: CreateDecoder, broken: (cause: unknown) => Error) {
    super();
    this.#source = source;
    this.#create = create;
    this.#broken = broken;
    this.on("error", () => undefined);
    source.on("error", (error) => this.destroy(error));
    source.once("end", () => (this.#decoder === undefined ? this.push(null) : this.#decoder.end()));
    source.on("data", (chunk: Uint8Array) => this.#decode(chunk));
  }

  override _read(): void {
    (this.#decoder ?? this.#source).resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#source.destroy();
    this.#decoder?.destroy();
    callback(error);
  }

  #decode(chunk: Uint8Array): void {
    if (this.destroyed) return;
    try {
      this.#decoder ??= this.#start(chunk);
    } catch (error) {
      this.destroy(this.#broken(error));
      return;
    }
    if (this.#decoder.write(chunk)) return;
    this.#source.pause();
    this.#decoder.once("drain", () => this.#source.resume());
  }

  #start(first: Uint8Array): Transform {
    const decoder = this.#create(first);
    decoder.on("error", (error) => this.destroy(this.#broken(error)));
    decoder.on("data", (chunk: Uint8Array) => {
      if (!this.push(chunk)) decoder.pause();
    });
    decoder.once("end", () => this.push(null));
    return decoder;
  }
}

/**
 * The body's text within the limits. Resolves with the received part if the body fails. A body that is longer or slower
 * is destroyed; one that ends frees its connection for the next request.
 */
export function readBodyText(body: Readable, maxBytes: number, maxMs: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const settle = (): void => {
      clearTimeout(timer);
      resolve(decodeBytes(Buffer.concat(chunks).subarray(0, maxBytes)));
    };
    const cut = (): void => {
      settle();
      body.destroy();
    };
    const timer = setTimeout(cut, maxMs);
    body.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > maxBytes) cut();
    });
    body.once("end", settle);
    body.once("close", settle);
    body.on("error", settle);
  });
}

/** The whole body as text. Rejects like `readWholeBytes`. */
export async function readWholeBody(body: Readable, maxBytes: number, tooLong: () => Error): Promise<string> {
  return decodeBytes(await readWholeBytes(body, maxBytes, tooLong));
}

/**
 * The whole body. Rejects with its error, or with `tooLong()` if it exceeds `maxBytes`, in which case it is closed.
 */
export async function readWholeBytes(
  body: Readable,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLong();
  }
  return Buffer.concat(chunks);
}

/** Maximum bytes of a body that was compressed without a header that says so. */
const maxUnzipped = 64 * 1024 * 1024;

/** Whether a body begins like compressed or UTF-16 text. Needs two bytes. */
export function isEncoded([first, second]: Uint8Array): boolean {
  const isZipped = first === 0x1f && second === 0x8b;
  return isZipped || first === 0xff || first === 0xfe || first === 0 || second === 0;
}

/** The text of a whole body, also if it is compressed without a header that says so, or in UTF-16. */
export function decodeBytes(bytes: Buffer): string {
  if (!isEncoded(bytes)) return bytes.toString("utf8");
  if (bytes[0] === 0x1f) return decodeBytes(unzip(bytes));
  const isBigEndian = bytes[0] === 0xfe || bytes[0] === 0;
  const whole = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  return (isBigEndian ? whole.swap16() : whole).toString("utf16le");
}

/** Without a part that can't be decompressed. */
function unzip(bytes: Buffer): Buffer {
  try {
    return zlib.gunzipSync(bytes, {
      finishFlush: zlib.constants.Z_SYNC_FLUSH,
      maxOutputLength: maxUnzipped,
    });
  } catch {
    return Buffer.from("\ufffd");
  }
}
