/** The part of the library that is used here, which has no types of its own. */
declare module "yazl" {
  import type { EventEmitter } from "node:events";
  import type { Readable } from "node:stream";

  export class ZipFile extends EventEmitter {
    readonly outputStream: Readable;
    addReadStream(content: Readable, path: string, options?: { readonly mtime?: Date }): void;
    end(): void;
  }
}
