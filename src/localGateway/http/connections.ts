import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Counts the connections of a server: shows whether they are reused, and whether a stop closes them. */
export class Connections {
  readonly #open = new Set<Socket>();
  #opened = 0;

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#opened++;
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  get opened(): number {
    return this.#opened;
  }

  get closed(): number {
    return this.#opened - this.#open.size;
  }

  /** Resolves when those that are open now have been closed, which they report a moment after their server. */
  async allClosed(): Promise<void> {
    await Promise.all(
      [...this.#open].map((socket) => new Promise((resolve) => socket.once("close", resolve))),
    );
  }
}
