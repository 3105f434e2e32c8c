import { Connection } from "./connection.ts";

/**
 * The connections to one origin by one route. As many as there are requests at the same time; those that become idle
 * serve the next request, the warmest first.
 */
export class ConnectionPool {
  readonly #origin: string;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  #isRetired = false;

  constructor(origin: string) {
    this.#origin = origin;
  }

  acquire(): Connection {
    const connection = this.#idle.pop() ?? this.#open();
    this.#busy.add(connection);
    return connection;
  }

  /** The request is over; a connection that is still good waits for the next one. */
  release(connection: Connection): void {
    if (!this.#busy.delete(connection)) return;
    if (connection.isConnected && !this.#isRetired) this.#idle.push(connection);
    else void connection.destroy();
  }

  /** Nothing new goes this way: idle connections are closed, the others as soon as they have finished. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle.splice(0)) void connection.destroy();
  }

  async close(): Promise<void> {
    const all = [...this.#busy, ...this.#idle.splice(0)];
    this.#isRetired = true;
    this.#busy.clear();
    await Promise.all(all.map((connection) => connection.destroy()));
  }

  #open(): Connection {
    const connection = new Connection(this.#origin);
    connection.onDisconnect(() => this.#forget(connection));
    return connection;
  }

  #forget(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    void connection.destroy();
  }
}
