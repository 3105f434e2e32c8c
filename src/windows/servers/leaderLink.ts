import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { stringField } from "../../core/kernel/json.ts";
import { FrameReader, writeFrame, readAddress } from "./frames.ts";
import type { PollResult } from "./leaderMessage.ts";
import type { LinkAddress } from "./frames.ts";

export interface LeaderLinkContext {
  /** The file that contains the address. */
  readonly addressFile: string;
  now(): number;
  /** Called when another window's user requests a refresh. Never rejects. */
  refresh(): Promise<void>;
}

const folderPrefix = "inference-gateway-";
/** The length of a socket path is limited to about a hundred bytes. */
const longestFolder = 60;
/** No more than this many bytes are sent to a window that has stopped reading. */
const mostUnread = 64 * 1024 * 1024;

/** Sends what this window receives to the following windows over a local socket. None of it is written to disk. */
export class LeaderLink {
  readonly #context: LeaderLinkContext;
  readonly #address: LinkAddress;
  readonly #server: Server;
  readonly #followers = new Map<Socket, { text: string | undefined }>();
  readonly #sockets = new Set<Socket>();
  #lastList: { readonly text: string; readonly listedAt: number } | undefined;
  #lastError: Extract<PollResult, { readonly error: unknown }> | undefined;
  #nextAt: number | undefined;

  constructor(context: LeaderLinkContext) {
    this.#context = context;
    this.#address = { path: socketPath(), token: randomUUID() };
    this.#server = createServer((socket) => this.#accept(socket));
    // Without a socket, the other windows poll for themselves.
    this.#server.on("error", () => undefined);
    this.#server.listen(this.#address.path, () => this.#publish());
  }

  broadcast(result: PollResult): void {
    if ("error" in result) this.#lastError = result;
    else {
      this.#lastList = result;
      this.#lastError = undefined;
    }
    for (const socket of this.#followers.keys()) this.#send(socket, result);
  }

  /** @param delayMs Undefined if this window doesn't poll. */
  announce(delayMs: number | undefined): void {
    this.#nextAt = delayMs === undefined ? undefined : this.#context.now() + delayMs;
    for (const socket of this.#followers.keys()) this.#sendNext(socket);
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
    const reader = new FrameReader();
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#followers.delete(socket);
    });
    socket.on("data", (chunk) => {
      try {
        for (const { head } of reader.read(chunk)) this.#handleRequest(socket, head);
      } catch {
        socket.destroy();
      }
    });
  }

  #handleRequest(socket: Socket, head: Readonly<Record<string, unknown>>): void {
    if (!this.#followers.has(socket)) {
      if (stringField(head, "token") !== this.#address.token) {
        socket.destroy();
        return;
      }
      this.#followers.set(socket, { text: undefined });
      socket.write(writeFrame({ type: "welcome" }));
      if (this.#lastList !== undefined) this.#send(socket, this.#lastList);
      if (this.#lastError !== undefined) this.#send(socket, this.#lastError);
      this.#sendNext(socket);
      return;
    }
    const { type, request } = head;
    if (type !== "refresh") return;
    socket.write(writeFrame({ type: "asking", request }));
    void this.#context.refresh().then(() => socket.write(writeFrame({ type: "done", request })));
  }

  #send(socket: Socket, result: PollResult): void {
    const follower = this.#followers.get(socket);
    if (follower === undefined) return;
    if (socket.writableLength > mostUnread) {
      socket.destroy();
      return;
    }
    if ("error" in result) socket.write(writeFrame({ type: "failed", error: result.error }));
    else if (result.text === follower.text) {
      socket.write(writeFrame({ type: "same", listedAt: result.listedAt }));
    } else {
      follower.text = result.text;
      const head = { type: "list", listedAt: result.listedAt, ...result.extent };
      socket.write(writeFrame(head, Buffer.from(result.text)));
    }
  }

  #sendNext(socket: Socket): void {
    const inMs = this.#nextAt === undefined ? undefined : this.#nextAt - this.#context.now();
    socket.write(writeFrame({ type: "next", inMs }));
  }
}

/** Removes the folder of a window that was killed before it could do so. */
function removeLeftOver(addressFile: string): void {
  const path = readAddress(addressFile)?.path;
  if (path === undefined || process.platform === "win32") return;
  const folder = dirname(path);
  if (basename(folder).startsWith(folderPrefix)) rmSync(folder, { recursive: true, force: true });
}

/** A new name each time, so that remains of a killed window don't matter. */
function socketPath(): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\inference-gateway-${randomUUID()}`;
  const folder = tmpdir().length > longestFolder ? "/tmp" : tmpdir();
  return join(mkdtempSync(join(folder, folderPrefix)), "servers");
}
