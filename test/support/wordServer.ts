import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "../../src/core/kernel/json.ts";
import { readRequestBody, startServer } from "./httpServer.ts";

/** Milliseconds between two words. */
const paceMs = 20;

/**
 * A response, while it is being sent and afterward. Its words are numbered so that missing or duplicated ones are
 * noticed.
 */
export class WordStream {
  /** The client's port. Two responses with the same port used the same connection. */
  readonly remotePort: number | undefined;
  readonly #response: ServerResponse;
  readonly #changes = new EventEmitter();
  readonly #sentAt: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #closedAt: number | undefined;
  #isFinished = false;

  constructor(name: string, request: IncomingMessage, response: ServerResponse) {
    this.remotePort = request.socket.remotePort;
    this.#response = response;
    this.#changes.setMaxListeners(0);
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.#timer = setInterval(() => this.#sendWord(name), paceMs);
    response.once("close", () => {
      clearInterval(this.#timer);
      this.#closedAt = performance.now();
      this.#changes.emit("change");
    });
  }

  get wordCount(): number {
    return this.#sentAt.length;
  }

  /** Words that were sent at least this many milliseconds before the moment (of `performance.now()`). */
  wordsBefore(moment: number, ms: number): number {
    return this.#sentAt.filter((time) => time <= moment - ms).length;
  }

  /**
   * When the client disconnected (`performance.now()`); undefined while it is connected, or if the response ended by
   * itself.
   */
  get leftAt(): number | undefined {
    return this.#isFinished ? undefined : this.#closedAt;
  }

  async waitForWords(count: number): Promise<void> {
    while (this.wordCount < count && this.#closedAt === undefined) await once(this.#changes, "change");
  }

  async waitUntilLeft(): Promise<void> {
    while (this.#closedAt === undefined) await once(this.#changes, "change");
  }

  /** Ends the response as a complete one. */
  finish(): void {
    clearInterval(this.#timer);
    this.#isFinished = true;
    this.#response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  }

  #sendWord(name: string): void {
    const content = `${name}-${this.#sentAt.length + 1} `;
    this.#response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    this.#sentAt.push(performance.now());
    this.#changes.emit("change");
  }
}

/**
 * A slow inference service: responds to the message “alpha” with “alpha-1 alpha-2 …” until the test ends the response.
 */
export interface WordServer {
  readonly inferenceBaseUrl: string;
  /** All responses to this message so far, oldest first. */
  streams(message: string): readonly WordStream[];
  /** The response to this message, once it has been requested; `index` counts the requests. */
  waitForStream(message: string, index?: number): Promise<WordStream>;
  close(): Promise<void>;
}

export async function startWordServer(): Promise<WordServer> {
  const streams = new Map<string, readonly WordStream[]>();
  const arrivals = new EventEmitter();
  const streamsOf = (message: string): readonly WordStream[] => streams.get(message) ?? [];
  const server = await startServer((request, response) => {
    if (request.url === "/v1/models") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "test/words", object: "model" }] }));
      return;
    }
    void readRequestBody(request).then((body) => {
      const message = lastMessage(body);
      streams.set(message, [...streamsOf(message), new WordStream(message, request, response)]);
      arrivals.emit("stream");
    });
  });
  return {
    inferenceBaseUrl: `${server.url}/v1`,
    streams: streamsOf,
    async waitForStream(message, index = 0) {
      for (;;) {
        const stream = streamsOf(message)[index];
        if (stream !== undefined) return stream;
        await once(arrivals, "stream");
      }
    },
    close: () => server.close(),
  };
}

/** The user's newest message, whatever follows it. */
function lastMessage(body: string): string {
  const request: unknown = JSON.parse(body);
  const messages = isRecord(request) ? request["messages"] : undefined;
  const texts = Array.isArray(messages)
    ? messages.flatMap((message: unknown) =>
        isRecord(message) && message["role"] === "user" ? [message["content"]] : [],
      )
    : [];
  return String(texts.at(-1));
}
