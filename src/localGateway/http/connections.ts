import type { Server } from "node:http";

/** Counts the connections of a server: shows whether they are reused, and whether a stop closes them. */
export class Connections {
  #opened = 0;
  #closed = 0;

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#opened++;
      socket.once("close", () => this.#closed++);
    });
  }

  get opened(): number {
    return this.#opened;
  }

  get closed(): number {
    return this.#closed;
  }
}
