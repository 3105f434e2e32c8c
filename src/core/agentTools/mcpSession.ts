import { sanitizeLabel } from "../kernel/foreignText.ts";
import { isRecord, parseJson, stringField } from "../kernel/json.ts";
import type { JsonObject, JsonValue } from "../kernel/json.ts";
import type { AgentToolResult } from "./runTool.ts";
import { isToolName, toolNames } from "./toolNames.ts";
import type { ToolName } from "./toolNames.ts";
import { agentTools, inputSchema } from "./toolTable.ts";

/** A call in progress. The outcome of one that was stopped doesn't matter. */
export interface RunningCall {
  readonly outcome: Promise<AgentToolResult>;
  stop(): void;
}

interface McpSessionPorts {
  readonly version: string;
  /** @param client The name that the client gives itself, or an empty text. */
  call(name: ToolName, input: unknown, client: string): RunningCall;
  /** Sends a message, which contains no line break. */
  write(line: string): void;
}

/** Versions of the Model Context Protocol, the latest first. For what this server does, they are the same. */
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

const errorCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  busy: -32000,
} as const;

/** More calls at once are refused. */
const mostCalls = 32;
/** Messages in a batch, which version 2025-03-26 has. */
const mostInBatch = 100;
const longestId = 200;

type RequestId = string | number;

/**
 * The ID of a message whose middle isn't known: as one of its first members, or as one of its last ones. The end of a
 * nested object would be followed by another bracket.
 */
const idAtStart =
  /^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*,\s*){0,2}"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*,/;
const idAtEnd = /,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** A JSON-RPC error to be sent instead of a result. */
class RpcError extends Error {
  readonly code: number;

  constructor(kind: keyof typeof errorCodes, message: string) {
    super(message);
    this.code = errorCodes[kind];
  }
}

const instructions =
  "Tools about the user's GPU servers, the models of their GPU cloud, the state of its services, and earlier conversations. They are read-only. Filter in the call rather than listing everything. A `problem` in a result is a sentence for the user.";

/** The server side of the Model Context Protocol for one client: it describes the tools and passes on their calls. */
export class McpSession {
  readonly #ports: McpSessionPorts;
  readonly #running = new Map<RequestId, RunningCall>();
  #client = "";
  readonly #pending = new Set<Promise<unknown>>();

  constructor(ports: McpSessionPorts) {
    this.#ports = ports;
  }

  /** Handles a line from the client. Whatever it contains, the session continues. */
  receive(line: string): void {
    if (line.trim() === "") return;
    const message = parseJson(line);
    if (message === undefined) return this.#send(failure(null, new RpcError("parse", "This is not JSON.")));
    const work = Array.isArray(message) ? this.#answerBatch(message) : this.#answer(message);
    const sent = work.then((reply) => {
      if (reply !== undefined) this.#send(reply);
      this.#pending.delete(sent);
    });
    this.#pending.add(sent);
  }

  /**
   * The client has sent a line that is longer than any message may be, of which only the start and the end are known.
   * Without the ID of its request, the client would wait for the response.
   */
  refuseLine(start: string, end: string): void {
    const found = (idAtStart.exec(start) ?? idAtEnd.exec(end))?.[1];
    const id = found === undefined ? undefined : parseJson(found);
    this.#send(failure(isRequestId(id) ? id : null, new RpcError("request", "The message is too long.")));
  }

  /** Resolves once everything received so far has its response. */
  async idle(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Stops all calls in progress. */
  close(): void {
    for (const { stop } of this.#running.values()) stop();
    this.#running.clear();
  }

  async #answerBatch(messages: readonly unknown[]): Promise<JsonValue | undefined> {
    if (messages.length === 0 || messages.length > mostInBatch)
      return failure(null, new RpcError("request", `A batch has 1 to ${mostInBatch} messages.`));
    const replies = await Promise.all(messages.map((message) => this.#answer(message)));
    const sent = replies.filter((reply) => reply !== undefined);
    return sent.length === 0 ? undefined : sent;
  }

  /** Undefined if the message needs no reply. */
  async #answer(message: unknown): Promise<JsonObject | undefined> {
    if (!isRecord(message) || message["jsonrpc"] !== "2.0")
      return failure(null, new RpcError("request", "This is not a JSON-RPC 2.0 message."));
    const { id, params } = message;
    const method = stringField(message, "method");
    if (method === undefined) {
      const isReply = "result" in message || "error" in message;
      return isReply ? undefined : failure(null, new RpcError("request", "The method is missing."));
    }
    if (id === undefined) {
      this.#notice(method, params);
      return undefined;
    }
    if (!isRequestId(id))
      return failure(null, new RpcError("request", "The ID must be a string or a number."));
    try {
      const result = await this.#request(id, method, isRecord(params) ? params : {});
      return result === undefined ? undefined : { jsonrpc: "2.0", id, result };
    } catch (error) {
      if (error instanceof RpcError) return failure(id, error);
      // Such as for an input that is nested too deeply to be passed on.
      return failure(id, new RpcError("internal", "The request couldn't be processed."));
    }
  }

  #notice(method: string, params: unknown): void {
    if (method !== "notifications/cancelled" || !isRecord(params)) return;
    const { requestId } = params;
    if (!isRequestId(requestId)) return;
    this.#running.get(requestId)?.stop();
    this.#running.delete(requestId);
  }

  /** Undefined if the request was canceled in the meantime, because then nothing is sent. */
  async #request(
    id: RequestId,
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<JsonObject | undefined> {
    switch (method) {
      case "initialize":
        return this.#initialize(params);
      case "ping":
        return {};
      case "tools/list":
        if (params["cursor"] !== undefined) throw new RpcError("params", "All tools are on the first page.");
        return { tools: toolNames.map(describeTool) };
      case "tools/call":
        return this.#call(id, params);
      default:
        throw new RpcError("method", `There is no method “${sanitizeLabel(method, 80)}”.`);
    }
  }

  #initialize(params: Readonly<Record<string, unknown>>): JsonObject {
    const { clientInfo, protocolVersion } = params;
    const name = isRecord(clientInfo)
      ? (stringField(clientInfo, "title") ?? stringField(clientInfo, "name"))
      : "";
    this.#client = sanitizeLabel(name ?? "", 60);
    return {
      protocolVersion: protocolVersions.find((known) => known === protocolVersion) ?? protocolVersions[0],
      capabilities: { tools: {} },
      serverInfo: { name: "inference-gateway", title: "Inference Gateway", version: this.#ports.version },
      instructions,
    };
  }

  async #call(
    id: RequestId,
    { name, arguments: input }: Readonly<Record<string, unknown>>,
  ): Promise<JsonObject | undefined> {
    if (typeof name !== "string" || !isToolName(name))
      throw new RpcError("params", `There is no tool “${sanitizeLabel(String(name), 80)}”.`);
    if (this.#running.has(id)) throw new RpcError("request", "A request with this ID is in progress.");
    if (this.#running.size >= mostCalls)
      throw new RpcError("busy", `No more than ${mostCalls} tools can run at once. Try again later.`);
    const call = this.#ports.call(name, input, this.#client);
    this.#running.set(id, call);
    const { text, isError } = await call.outcome;
    if (this.#running.get(id) !== call) return undefined;
    this.#running.delete(id);
    return { content: [{ type: "text", text }], isError };
  }

  #send(message: JsonValue): void {
    this.#ports.write(JSON.stringify(message));
  }
}

function describeTool(name: ToolName): JsonObject {
  const { title, description } = agentTools[name];
  const annotations = { title, readOnlyHint: true, openWorldHint: name !== "search_conversations" };
  return { name, title, description, inputSchema: inputSchema(name), annotations };
}

function failure(id: RequestId | null, { code, message }: RpcError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function isRequestId(value: unknown): value is RequestId {
  if (typeof value === "string") return value.length <= longestId;
  return typeof value === "number" && Number.isFinite(value);
}
