import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import type { AgentToolResult } from "../../core/agentTools/runTool.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import { hasProcess } from "../../storage/files/hasProcess.ts";
import { AnnouncedServer } from "./announcedServer.ts";
import { writeMessage } from "./link.ts";
import type { LinkMessage } from "./link.ts";
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

/** Lets programs of this user call the tools of this window through a local socket. */
export class ToolServer {
  /** The file that contains the address of the socket. */
  readonly addressFile: string;
  readonly #context: ToolServerContext;
  readonly #server: AnnouncedServer;
  readonly #calls = new Map<Socket, Map<number, AbortController>>();

  constructor(context: ToolServerContext) {
    this.#context = context;
    const { folder } = context;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeDead(folder);
    this.addressFile = join(folder, `${ownPrefix()}${process.pid}-${randomUUID()}${addressSuffix}`);
    this.#server = new AnnouncedServer({
      addressFile: this.addressFile,
      onMessage: (socket, message) => this.#receive(socket, message),
      onClosed: (socket) => {
        for (const controller of this.#calls.get(socket)?.values() ?? []) controller.abort();
        this.#calls.delete(socket);
      },
    });
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
  }

  #receive(socket: Socket, message: LinkMessage): void {
    const id = numberField(message, "call");
    if (id === undefined) return;
    const calls = this.#calls.get(socket) ?? new Map<number, AbortController>();
    this.#calls.set(socket, calls);
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

/** Removes the addresses of windows that were killed. */
function removeDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(ownPrefix()) || !name.endsWith(addressSuffix)) continue;
    const pid = Number(/^\d+/.exec(name.slice(ownPrefix().length))?.[0]);
    if (Number.isInteger(pid) && !hasProcess(pid)) rmSync(join(folder, name), { force: true });
  }
}
