import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { AgentToolResult } from "../../core/agentTools/runTool.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import { hasProcess } from "../../storage/files/hasProcess.ts";
import { removeFile, renameFile } from "../../storage/files/heldFile.ts";
import { LinkReader, linkProof, readLinkAddress, writeMessage } from "./link.ts";
import type { LinkAddress, LinkMessage } from "./link.ts";
import { addressSuffix } from "./toolClient.ts";

/** What a window needs to run tools for MCP servers, which are processes of their own. */
export interface ToolServerContext {
  /** The folder in which the windows announce themselves. Only this user can read it. */
  readonly folder: string;
  /** Runs a tool. The name and the input come from another program. Rejects only if the signal is aborted. */
  call(name: string, input: unknown, client: string, signal: AbortSignal): Promise<AgentToolResult>;
}

/** Maximum number of simultaneous calls of one program; more are rejected. */
const mostCalls = 64;

const folderPrefix = "inference-gateway-";
/** How often the socket is checked, in milliseconds. */
const upkeepMs = 3_600_000;
/** The length of a socket path is limited to about a hundred bytes. */
const longestFolder = 60;

/**
 * Lets programs of this user call the tools of this window through a local socket, whose address is in a file that only
 * this user can read. Nothing it sends is written to disk.
 */
export class ToolServer {
  /** The file that contains the address of the socket. */
  readonly addressFile: string;
  readonly #context: ToolServerContext;
  readonly #upkeep: NodeJS.Timeout;
  #address: LinkAddress;
  #server: Server;
  /** The calls of each connected program. */
  readonly #calls = new Map<Socket, Map<number, AbortController>>();

  constructor(context: ToolServerContext) {
    this.#context = context;
    const { folder } = context;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeDead(folder);
    this.addressFile = join(folder, `${ownPrefix()}${process.pid}-${randomUUID()}${addressSuffix}`);
    this.#address = { path: socketPath(), token: randomUUID() };
    this.#server = this.#listen();
    this.#upkeep = setInterval(() => this.#keepSocket(), upkeepMs).unref();
  }

  /** Programs that weren't started by any window are served by the one that the user has used last. */
  noteUse(): void {
    this.#keepSocket();
    const now = new Date();
    try {
      utimesSync(this.addressFile, now, now);
    } catch {
      // Windows that aren't announced yet will be the latest.
    }
  }

  close(): void {
    clearInterval(this.#upkeep);
    this.#server.close();
    for (const socket of this.#calls.keys()) socket.destroy();
    removeFile(this.addressFile);
    removeSocketFolder(this.#address);
  }

  #listen(): Server {
    const server = createServer((socket) => this.#accept(socket));
    // Without a socket, other programs find no window.
    server.on("error", () => undefined);
    return server.listen(this.#address.path, () => this.#publish());
  }

  /** Keeps the socket from being removed as an old temporary file, as macOS does after three days, or opens a new one. */
  #keepSocket(): void {
    if (process.platform === "win32" || !this.#server.listening) return;
    const { path } = this.#address;
    const now = new Date();
    try {
      for (const each of [dirname(path), path]) utimesSync(each, now, now);
    } catch {
      this.#server.close();
      removeSocketFolder(this.#address);
      this.#address = { path: socketPath(), token: randomUUID() };
      this.#server = this.#listen();
    }
  }

  #publish(): void {
    const draft = `${this.addressFile}.${randomUUID()}`;
    try {
      writeFileSync(draft, JSON.stringify(this.#address), { mode: 0o600 });
      renameFile(draft, this.addressFile);
    } catch {
      removeFile(draft);
    }
  }

  #accept(socket: Socket): void {
    const reader = new LinkReader();
    const calls = new Map<number, AbortController>();
    const address = this.#address;
    const nonce = randomUUID();
    let isWelcome = false;
    this.#calls.set(socket, calls);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#calls.delete(socket);
      for (const controller of calls.values()) controller.abort();
    });
    socket.setEncoding("utf8").on("data", (text: string) => {
      try {
        for (const message of reader.read(text)) {
          if (isWelcome) this.#receive(socket, calls, message);
          else if (message["type"] === "hello") {
            const proof = linkProof(address, "window", stringField(message, "nonce") ?? "");
            socket.write(writeMessage({ type: "welcome", proof, nonce }));
          } else if (message["proof"] === linkProof(address, "program", nonce)) isWelcome = true;
          else {
            socket.destroy();
            return;
          }
        }
      } catch {
        socket.destroy();
      }
    });
  }

  #receive(socket: Socket, calls: Map<number, AbortController>, message: LinkMessage): void {
    const id = numberField(message, "call");
    if (id === undefined) return;
    if (message["type"] === "cancel") calls.get(id)?.abort();
    else if (message["type"] === "call" && !calls.has(id)) void this.#run(socket, id, calls, message);
  }

  async #run(
    socket: Socket,
    id: number,
    calls: Map<number, AbortController>,
    message: LinkMessage,
  ): Promise<void> {
    const finish = ({ text, isError }: AgentToolResult): void => {
      if (!socket.destroyed) socket.write(writeMessage({ type: "result", call: id, isError, text }));
    };
    if (calls.size >= mostCalls)
      return finish({ text: "Too many tools are running. Try again later.", isError: true });
    const controller = new AbortController();
    calls.set(id, controller);
    socket.write(writeMessage({ type: "started", call: id }));
    try {
      const name = stringField(message, "name") ?? "";
      const client = stringField(message, "client") ?? "";
      finish(await this.#context.call(name, message["input"], client, controller.signal));
    } catch {
      const text = controller.signal.aborted ? "The call was canceled." : "The tool failed. Try again later.";
      finish({ text, isError: true });
    } finally {
      calls.delete(id);
    }
  }
}

/** A home folder may be shared by several machines, which can't see each other's processes. */
function ownPrefix(): string {
  return `${hostname()
    .replace(/[^\w.-]/g, "_")
    .slice(0, 60)}-`;
}

/** Removes the addresses and sockets of windows that were killed. */
function removeDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(ownPrefix()) || !name.endsWith(addressSuffix)) continue;
    const pid = Number(/^\d+/.exec(name.slice(ownPrefix().length))?.[0]);
    if (!Number.isInteger(pid) || hasProcess(pid)) continue;
    const address = readLinkAddress(join(folder, name));
    if (address !== undefined) removeSocketFolder(address);
    removeFile(join(folder, name));
  }
}

/** Windows removes the pipe itself. */
function removeSocketFolder({ path }: LinkAddress): void {
  const folder = dirname(path);
  if (process.platform !== "win32" && basename(folder).startsWith(folderPrefix))
    rmSync(folder, { recursive: true, force: true });
}

/** A new name each time, so that remains of a killed window don't matter. */
function socketPath(): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\inference-gateway-${randomUUID()}`;
  const folder = tmpdir().length > longestFolder ? "/tmp" : tmpdir();
  return join(mkdtempSync(join(folder, folderPrefix)), "tools");
}
