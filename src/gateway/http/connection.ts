import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import Client from "undici/lib/dispatcher/client.js";
import { ContinueHeads } from "./continueHeads.ts";

/**
 * How long an idle connection is kept where the server doesn't say (its `Keep-Alive: timeout` counts otherwise).
 * Long enough for a person to read and answer, shorter than the minute after which usual proxies close.
 */
const idleMs = 55_000;

export type OpenSocket = (signal: AbortSignal) => Promise<Socket>;

/** One connection to one origin with one request at a time: undici speaks HTTP over the socket that we open. */
export class Connection {
  readonly #client: Client;
  readonly #opening = new AbortController();
  readonly #continueHeads = new ContinueHeads();
  #isConnected = false;

  #open: OpenSocket = () => Promise.reject(new Error("There is no request to open a socket for."));

  constructor(origin: string) {
    this.#client = new Client(origin, {
      connect: (_, callback) => {
        this.#open(this.#opening.signal).then(
          (socket) => callback(null, this.#continueHeads.watch(socket)),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
        );
      },
      pipelining: 1,
      keepAliveTimeout: idleMs,
      // The exchange has its own clock: silence counts from the connecting on, and not while the reader pauses.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("connect", () => (this.#isConnected = true));
    this.#client.on("disconnect", () => (this.#isConnected = false));
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#client.destroyed;
  }

  /** Sends a request; `open` is called where there is no socket yet, or none any more. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, open: OpenSocket): void {
    this.#open = open;
    this.#continueHeads.begin();
    this.#client.dispatch(options, handler);
  }

  /** Calls back when the socket of an idle connection goes away. */
  onDisconnect(listener: () => void): void {
    this.#client.on("disconnect", listener);
  }

  /** Closes the socket at once, also one that is still being opened. */
  async destroy(): Promise<void> {
    this.#opening.abort();
    await this.#client.destroy();
  }
}
