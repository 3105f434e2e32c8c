import { Connection } from "./connection.ts";

/** Longer than any connection is kept by its own timer. */
const longestIdleMs = 10 * 60_000;

/**
 * The connections to one origin by one route. As many as there are requests at the same time; those that become idle
 * serve the next request, the warmest first.
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #now: () => number;
  readonly #idle: { readonly connection: Connection; readonly since: number }[] = [];
  readonly #busy = new Set<Connection>();
  #isRetired = false;

  /** `now` gives milliseconds since 1970. */
  constructor(origin: string, now: () => number) {
    this.#origin = origin;
    this.#now = now;
  }

  acquire(): Connection {
    this.#dropForgotten();
    const connection = this.#idle.pop()?.connection ?? this.#open();
    this.#busy.add(connection);
    return connection;
  }

  /** The request is over; a connection that is still good waits for the next one. */
  release(connection: Connection): void {
    if (!this.#busy.delete(connection)) return;
    if (connection.isConnected && !this.#isRetired) this.#idle.push({ connection, since: this.#now() });
    else void connection.destroy();
  }

  /** Nothing new goes this way: idle connections are closed, the others as soon as they have finished. */
  retire(): void {
    this.#isRetired = true;
    for (const { connection } of this.#idle.splice(0)) void connection.destroy();
  }

  async close(): Promise<void> {
    const all = [...this.#busy, ...this.#idle.splice(0).map(({ connection }) => connection)];
    this.#isRetired = true;
    this.#busy.clear();
    await Promise.all(all.map((connection) => connection.destroy()));
  }

  /**
   * The timers that close idle connections stop while the machine sleeps, and by then the other side has dropped them.
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
