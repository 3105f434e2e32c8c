import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { stringField } from "../../core/kernel/json.ts";
import { LinkReader, readLinkAddress, writeMessage } from "./link.ts";
import type { LinkAddress, LinkMessage } from "./link.ts";

interface AnnouncedServerContext {
  /** The file that contains the address. */
  readonly addressFile: string;
  /** Called for every message of a program that has proved that it can read the file. */
  onMessage(socket: Socket, message: LinkMessage): void;
  onClosed(socket: Socket): void;
}

const folderPrefix = "inference-gateway-";
/** The length of a socket path is limited to about a hundred bytes. */
const longestFolder = 60;

/** A local socket whose address is in a file that only this user can read. Nothing it sends is written to disk. */
export class AnnouncedServer {
  readonly #context: AnnouncedServerContext;
  readonly #address: LinkAddress;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(context: AnnouncedServerContext) {
    this.#context = context;
    this.#address = { path: socketPath(), token: randomUUID() };
    this.#server = createServer((socket) => this.#accept(socket));
    // Without a socket, other programs find no window.
    this.#server.on("error", () => undefined);
    this.#server.listen(this.#address.path, () => this.#publish());
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    const { addressFile } = this.#context;
    const { path } = this.#address;
    try {
      if (readFileSync(addressFile, "utf8").includes(JSON.stringify(path)))
        rmSync(addressFile, { force: true });
    } catch {
      // Already removed.
    }
    if (process.platform !== "win32") rmSync(dirname(path), { recursive: true, force: true });
  }

  #publish(): void {
    const { addressFile } = this.#context;
    removeLeftOver(addressFile);
    const draft = `${addressFile}.${randomUUID()}`;
    try {
      writeFileSync(draft, JSON.stringify(this.#address), { mode: 0o600 });
      renameSync(draft, addressFile);
    } catch {
      rmSync(draft, { force: true });
    }
  }

  #accept(socket: Socket): void {
    const reader = new LinkReader();
    let isWelcome = false;
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#context.onClosed(socket);
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      try {
        for (const message of reader.read(text)) {
          if (isWelcome) this.#context.onMessage(socket, message);
          else if (stringField(message, "token") === this.#address.token) {
            isWelcome = true;
            socket.write(writeMessage({ type: "welcome" }));
          } else {
            socket.destroy();
            return;
          }
        }
      } catch {
        socket.destroy();
      }
    });
  }
}

/** Removes the folder of a window that was killed before it could do so. */
function removeLeftOver(addressFile: string): void {
  const path = readLinkAddress(addressFile)?.path;
  if (path === undefined || process.platform === "win32") return;
  const folder = dirname(path);
  if (basename(folder).startsWith(folderPrefix)) rmSync(folder, { recursive: true, force: true });
}

/** A new name each time, so that remains of a killed window don't matter. */
function socketPath(): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\inference-gateway-${randomUUID()}`;
  const folder = tmpdir().length > longestFolder ? "/tmp" : tmpdir();
  return join(mkdtempSync(join(folder, folderPrefix)), "tools");
}
