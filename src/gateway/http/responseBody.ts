import { Readable } from "node:stream";

export interface BodyOwner {
  /** The reader wants more after a pause. */
  resume(): void;
  /** The reader has gone before the end. */
  abandon(): void;
}

/** The body as the socket brings it: nothing is copied, and a reader who pauses pauses the socket. */
export class ResponseBody extends Readable {
  readonly #owner: BodyOwner;

  constructor(owner: BodyOwner) {
    super({ highWaterMark: 64 * 1024 });
    this.#owner = owner;
    // A body that fails before its reader listens must not end the process; the reader hears of it all the same.
    this.on("error", () => undefined);
  }

  override _read(): void {
    this.#owner.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#owner.abandon();
    callback(error);
  }
}
