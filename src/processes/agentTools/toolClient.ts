import { randomUUID } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { AgentToolResult } from "../../core/agentTools/runTool.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import { LinkReader, linkProof, readLinkAddress, writeMessage } from "./link.ts";
import type { LinkMessage } from "./link.ts";

/** The end of the names of files with the address of a window. */
export const addressSuffix = ".link";

/** Milliseconds for which the window that was used last is preferred. It may have been killed, or be busy. */
const headStartMs = 300;
/** A working window responds immediately, and acknowledges a call regardless of how long the tool takes. */
const replyMs = 10_000;
/** UTF-16 code units of an input, more than any tool accepts. */
const longestInput = 20_000;

const nobody: AgentToolResult = {
  text: "VS Code isn't running, or its extension Inference Gateway isn't active. Ask the user to open the view GPU Servers in VS Code, and try again.",
  isError: true,
};
const gone: AgentToolResult = {
  text: "VS Code was closed or reloaded before the tool was done. Try again.",
  isError: true,
};
const silent: AgentToolResult = { text: "VS Code doesn't respond. Try again later.", isError: true };

/** A call of a tool by a program. */
interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  /** The name that the program gives itself, or an empty text. */
  readonly client: string;
}

/** Calls the tools of a window from another process. Connects at the first call, and again if the window was closed. */
export class ToolClient {
  readonly #folder: string;
  #connection: Promise<Connection | undefined> = Promise.resolve(undefined);

  /** @param folder The folder in which the windows announce themselves. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async call(call: ToolCall, signal: AbortSignal): Promise<AgentToolResult> {
    if (JSON.stringify(call.input ?? null).length > longestInput)
      return { text: "The input is too long.", isError: true };
    this.#connection = this.#connection.then((known) =>
      known?.isOpen === true ? known : findWindow(this.#folder),
    );
    const connection = await this.#connection;
    signal.throwIfAborted();
    return connection === undefined ? nobody : connection.call(call, signal);
  }
}

/** The first window that welcomes this client. The one that was used last has a head start. */
async function findWindow(folder: string): Promise<Connection | undefined> {
  const opened = latestFirst(folder).map((file) => Connection.open(file));
  const headStart = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), headStartMs));
  const first = Promise.any(
    opened.map(async (each) => (await each) ?? Promise.reject(new Error("No window."))),
  ).catch(() => undefined);
  const found = (await Promise.race([opened[0], headStart])) ?? (await first);
  for (const each of opened)
    void each.then((connection) => {
      if (connection !== found) connection?.close();
    });
  return found;
}

function latestFirst(folder: string): readonly string[] {
  const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(addressSuffix))
      .map((name) => join(folder, name))
      .map((file) => ({ file, time: timeOf(file) }))
      .toSorted((left, right) => right.time - left.time)
      .map(({ file }) => file);
  } catch {
    return [];
  }
}

interface WaitingCall {
  settle(outcome: AgentToolResult): void;
  acknowledge(): void;
}

/** A connection to a window that has welcomed it. */
class Connection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, WaitingCall>();
  #calls = 0;

  /** Undefined if no window responds there. */
  static open(file: string): Promise<Connection | undefined> {
    const address = readLinkAddress(file);
    if (address === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const socket = connect(address.path);
      const connection = new Connection(socket);
      const timer = setTimeout(() => socket.destroy(), replyMs);
      const reader = new LinkReader();
      const nonce = randomUUID();
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        clearTimeout(timer);
        resolve(undefined);
        connection.#fail();
      });
      socket.setEncoding("utf8").on("data", (text: string) => {
        try {
          for (const message of reader.read(text)) {
            if (message["type"] === "welcome") {
              if (message["proof"] !== linkProof(address, "window", nonce))
                throw new Error("Not our window.");
              const proof = linkProof(address, "program", stringField(message, "nonce") ?? "");
              socket.write(writeMessage({ type: "proof", proof }));
              clearTimeout(timer);
              resolve(connection);
            } else connection.#receive(message);
          }
        } catch {
          socket.destroy();
        }
      });
      socket.write(writeMessage({ type: "hello", nonce }));
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** The process may end unless a call is in progress. */
  async call(request: ToolCall, signal: AbortSignal): Promise<AgentToolResult> {
    const call = ++this.#calls;
    if (this.#socket.destroyed) return gone;
    const cancel = (): void => void this.#socket.write(writeMessage({ type: "cancel", call }));
    signal.addEventListener("abort", cancel);
    this.#socket.ref();
    const result = await new Promise<AgentToolResult>((settle) => {
      const timer = setTimeout(() => settle(silent), replyMs);
      this.#waiting.set(call, { settle, acknowledge: () => clearTimeout(timer) });
      this.#socket.write(writeMessage({ ...request, type: "call", call }));
    });
    signal.removeEventListener("abort", cancel);
    this.#waiting.get(call)?.acknowledge();
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#socket.unref();
    return result;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(message: LinkMessage): void {
    const waiting = this.#waiting.get(numberField(message, "call") ?? -1);
    if (message["type"] === "started") waiting?.acknowledge();
    if (message["type"] === "result")
      waiting?.settle({ text: stringField(message, "text") ?? "", isError: message["isError"] === true });
  }

  #fail(): void {
    for (const { settle } of [...this.#waiting.values()]) settle(gone);
  }
}
