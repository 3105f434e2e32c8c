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

/**
 * Milliseconds after which the next window is tried in addition to one that doesn't respond, for example because it was
 * killed or is busy.
 */
const nextTryMs = 300;
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

interface ToolClientOptions {
  /** The folder in which the windows announce themselves. */
  readonly folder: string;
  /** The file of the window that has started this process. */
  readonly preferred?: string;
}

/** A call of a tool by a program. */
interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  /** The name that the program gives itself, or an empty text. */
  readonly client: string;
}

/** Calls the tools of a window from another process. Connects at the first call, and again if the window was closed. */
export class ToolClient {
  readonly #options: ToolClientOptions;
  #connection: Promise<Connection | undefined> | undefined;

  constructor(options: ToolClientOptions) {
    this.#options = options;
  }

  async call(call: ToolCall, signal: AbortSignal): Promise<AgentToolResult> {
    if (JSON.stringify(call.input ?? null).length > longestInput)
      return { text: "The input is too long.", isError: true };
    const connection = await this.#connect();
    signal.throwIfAborted();
    return connection === undefined ? nobody : connection.call(call, signal);
  }

  #connect(): Promise<Connection | undefined> {
    this.#connection ??= this.#find().then((connection) => {
      if (connection === undefined) this.#connection = undefined;
      return connection;
    });
    return this.#connection;
  }

  /** The first window that welcomes this client. The preferred one and those used last have a head start. */
  async #find(): Promise<Connection | undefined> {
    const { folder, preferred } = this.#options;
    const files = new Set([...(preferred === undefined ? [] : [preferred]), ...latestFirst(folder)]);
    const tries: Promise<Connection | undefined>[] = [];
    let found: Connection | undefined;
    const open = async (file: string): Promise<Connection | undefined> => {
      // The connection to a window that never welcomes this client is closed later, when another one is in use.
      const own: { connection?: Connection | undefined } = {};
      own.connection = await Connection.open(file, () => {
        if (own.connection !== undefined && found === own.connection) this.#connection = undefined;
      });
      const { connection } = own;
      if (found !== undefined) connection?.close();
      else found = connection;
      return connection;
    };
    for (const file of files) {
      const opening = open(file);
      tries.push(opening);
      await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, nextTryMs))]);
      if (found !== undefined) return found;
    }
    await firstDefined(tries);
    return found;
  }
}

/** Resolves as soon as one of them has a value, or all of them have none. */
async function firstDefined<T>(all: readonly Promise<T | undefined>[]): Promise<void> {
  await Promise.any(
    all.map(async (each) => {
      if ((await each) === undefined) throw new Error("None");
    }),
  ).catch(() => undefined);
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
  static open(file: string, onClosed: () => void): Promise<Connection | undefined> {
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
        onClosed();
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
