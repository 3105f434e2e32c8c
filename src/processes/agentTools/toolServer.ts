import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { AgentToolResult } from "../../core/agentTools/runTool.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import { hasProcess } from "../../storage/files/hasProcess.ts";
import { LinkReader, readLinkAddress, writeMessage } from "./link.ts";
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
  readonly #address: LinkAddress = { path: socketPath(), token: randomUUID() };
  readonly #server: Server;
  /** The calls of each connected program. */
  readonly #calls = new Map<Socket, Map<number, AbortController>>();

  constructor(context: ToolServerContext) {
    this.#context = context;
    const { folder } = context;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeDead(folder);
    this.addressFile = join(folder, `${ownPrefix()}${process.pid}-${randomUUID()}${addressSuffix}`);
    this.#server = createServer((socket) => this.#accept(socket));
    // Without a socket, other programs find no window.
    this.#server.on("error", () => undefined);
    this.#server.listen(this.#address.path, () => this.#publish());
  }

  /** Programs that weren't started by any window are served by the one that the user has used last. */
  noteUse(): void {
    const now = new Date();
    try {
      utimesSync(this.addressFile, now, now);
    } catch {
      // Windows that aren't announced yet will be the latest.
    }
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#calls.keys()) socket.destroy();
    rmSync(this.addressFile, { force: true });
    removeSocketFolder(this.#address);
  }

  #publish(): void {
    const draft = `${this.addressFile}.${randomUUID()}`;
    try {
      writeFileSync(draft, JSON.stringify(this.#address), { mode: 0o600 });
      renameSync(draft, this.addressFile);
    } catch {
      rmSync(draft, { force: true });
    }
  }

  #accept(socket: Socket): void {
    const reader = new LinkReader();
    const calls = new Map<number, AbortController>();
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
    rmSync(join(folder, name), { force: true });
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
