import { Client } from "./undiciClient.ts";
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";

/** Longer than any connection is kept by its own timer. */
const longestIdleMs = 10 * 60_000;

/**
 * The connections to one origin by one route. There are as many as there are concurrent requests; idle ones serve the
 * next request, the most recently used first.
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #now: () => number;
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = [];
  readonly #busy = new Set<Connection>();
  #isRetired = false;

  /** `now` returns milliseconds since 1970. */
  constructor(origin: string, now: () => number) {
    this.#origin = origin;
    this.#now = now;
  }

  /** An idle connection, or a new one that isn't open yet. It must be released or destroyed. */
  acquire(): Connection {
    this.#dropForgotten();
    const connection = this.#idle.pop()?.connection ?? this.#open();
    this.#busy.add(connection);
    return connection;
  }

  /** Closes all idle connections: if the server has dropped one of them, it has probably dropped the others as well. */
  dropIdle(): void {
    for (const { connection } of this.#idle.splice(0)) void connection.destroy();
  }

  /** The request is over; a connection that is still usable waits for the next one. */
  release(connection: Connection): void {
    if (!this.#busy.delete(connection)) return;
    if (connection.isConnected && !this.#isRetired) this.#idle.push({ connection, since: this.#now() });
    else void connection.destroy();
  }

  /** Retires the pool: idle connections are closed now, the others as soon as they have finished. */
  retire(): void {
    this.#isRetired = true;
    this.dropIdle();
  }

  /** Closes all connections, even during a request. Resolves when they are closed. */
  async close(): Promise<void> {
    const all = [...this.#busy, ...this.#idle.splice(0).map(({ connection }) => connection)];
    this.#isRetired = true;
    this.#busy.clear();
    await Promise.all(all.map((connection) => connection.destroy()));
  }

  /**
   * The timers that close idle connections stop while the machine sleeps, and the other side drops the connections in
   * the meantime.
   */
  #dropForgotten(): void {
    if (this.#idle.length === 0) return;
    const now = this.#now();
    const forgotten = this.#idle.filter(({ since }) => Math.abs(now - since) > longestIdleMs);
    for (const { connection } of forgotten) this.#forget(connection);
  }

  #open(): Connection {
    const connection = new Connection(this.#origin);
    connection.onDisconnect(() => this.#forget(connection));
    return connection;
  }

  #forget(connection: Connection): void {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    void connection.destroy();
  }
}

/**
 * How long an idle connection is kept if the server doesn't specify it (otherwise, its `Keep-Alive: timeout` counts).
 * Long enough for a person to read and respond, shorter than the minute after which typical proxies close.
 */
const idleMs = 55_000;

type OpenSocket = (signal: AbortSignal) => Promise<Socket>;

/** One connection to one origin with one request at a time: undici handles HTTP on the socket that we open. */
export class Connection {
  readonly #client: Client;
  readonly #opening = new AbortController();
  #isConnected = false;

  #open: OpenSocket = () => Promise.reject(new Error("No request is waiting for a socket."));

  constructor(origin: string) {
    this.#client = new Client(origin, {
      connect: (_, callback) => {
        this.#open(this.#opening.signal).then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
        );
      },
      pipelining: 1,
      keepAliveTimeout: idleMs,
      // The exchange has its own timer: idle time counts from connecting on, and not while the reader is paused.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("connect", () => (this.#isConnected = true));
    this.#client.on("disconnect", () => (this.#isConnected = false));
  }

  /** Whether its socket is open, so that a request can be sent without connecting first. */
  get isConnected(): boolean {
    return this.#isConnected && !this.#client.destroyed;
  }

  /** Sends a request. `open` is called if there is no open socket. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, open: OpenSocket): void {
    this.#open = open;
    this.#client.dispatch(options, handler);
  }

  /** Calls back when the socket of an idle connection closes. */
  onDisconnect(listener: () => void): void {
    this.#client.on("disconnect", listener);
  }

  /** Closes the socket at once, even one that is still being opened. */
  async destroy(): Promise<void> {
    this.#opening.abort();
    await this.#client.destroy();
  }
}
