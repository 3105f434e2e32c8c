import { Readable } from "node:stream";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

/** More layers than any honest server uses. */
const maxLayers = 5;

/**
 * The body without its compression, each piece as soon as it can be read. We ask for none, but a server or a proxy
 * may compress all the same. A cut body ends where it was cut. `broken` makes the error for bytes that can't be decoded.
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
  if (names.length === 0) return body;
  if (names.length > maxLayers) return new DecodedBody(body, [refuse(names.join(", "))], broken);
  return new DecodedBody(body, names.reverse().map(createDecoder), broken);
}

function createDecoder(name: string): (first: Uint8Array) => Transform {
  const options = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (name) {
    case "gzip":
    case "x-gzip":
      return () => zlib.createGunzip(options);
    case "deflate":
      // Some servers leave out the zlib header that the name promises.
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

/** Joins the body and its decoders into one stream that fails and closes as one. */
class DecodedBody extends Readable {
  readonly #source: Readable;
  readonly #broken: (cause: unknown) => Error;
  readonly #create: readonly ((first: Uint8Array) => Transform)[];
  #decoders: readonly Transform[] = [];

  constructor(
    source: Readable,
    create: readonly ((first: Uint8Array) => Transform)[],
    broken: (cause: unknown) => Error,
  ) {
    super();
    this.#source = source;
    this.#create = create;
    this.#broken = broken;
    this.on("error", () => undefined);
    source.on("error", (error) => this.destroy(error));
    source.once("end", () => (this.#decoders.length === 0 ? this.push(null) : this.#decoders[0]?.end()));
    source.on("data", (chunk: Uint8Array) => this.#decode(chunk));
  }

  override _read(): void {
    const last = this.#decoders.at(-1);
    if (last === undefined) this.#source.resume();
    else last.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#source.destroy();
    for (const decoder of this.#decoders) decoder.destroy();
    callback(error);
  }

  #decode(chunk: Uint8Array): void {
    if (this.destroyed) return;
    if (this.#decoders.length === 0 && !this.#start(chunk)) return;
    const first = this.#decoders[0];
    if (first === undefined || first.write(chunk)) return;
    this.#source.pause();
    first.once("drain", () => this.#source.resume());
  }

  /** The first bytes may decide which decoder is right. */
  #start(first: Uint8Array): boolean {
    try {
      this.#decoders = this.#create.map((create) => create(first));
    } catch (error) {
      this.destroy(this.#broken(error));
      return false;
    }
    this.#decoders.forEach((decoder, index) => {
      decoder.on("error", (error) => this.destroy(this.#broken(error)));
      const next = this.#decoders[index + 1];
      if (next !== undefined) decoder.pipe(next);
    });
    const last = this.#decoders.at(-1);
    last?.on("data", (chunk: Uint8Array) => {
      if (!this.push(chunk)) last.pause();
    });
    last?.once("end", () => this.push(null));
    return true;
  }
}
