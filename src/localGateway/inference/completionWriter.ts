import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { sendJson } from "../http/reply.ts";
import type { Answer, AnswerStep } from "./answer.ts";
import type { ChatRequest } from "./chatRequest.ts";

/** Text is collected up to this length before it is written, where no pace is set. */
const batchLength = 32_768;
const keepAliveMs = 5_000;

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Writes the whole answer as one JSON object (interface section 2.3). */
export async function writeWhole(
  response: ServerResponse,
  request: ChatRequest,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  let content = "";
  let reasoning = "";
  let count = 0;
  const toolCalls: unknown[] = [];
  for (const step of answer.steps) {
    count++;
    if (step.type === "text") content += step.text;
    else if (step.type === "reasoning") reasoning += step.text;
    else if (step.type === "toolCall") toolCalls.push(toolCall(step, toolCalls.length));
    else if (step.type === "pause") await sleep(step.ms, undefined, { signal });
    else if (step.type === "cut") return void response.destroy();
    else
      return sendJson(response, 500, { error: { message: step.message, type: "server_error", code: null } });
  }
  sendJson(response, 200, {
    ...envelope(request, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: toolCalls.length > 0 && content === "" ? null : content,
          ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        finish_reason: answer.finishReason,
      },
    ],
    usage: usage(request, count),
  });
}

/** Streams the answer as server-sent events, at the pace given; ends at once when the client goes. */
export async function writeStream(
  response: ServerResponse,
  request: ChatRequest,
  answer: Answer,
  tokensPerSecond: number,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  const writer = new EventWriter(response, request, tokensPerSecond, signal);
  writer.delta({ role: "assistant", content: "" });
  let count = 0;
  let toolCalls = 0;
  for (const step of answer.steps) {
    if (signal.aborted) return;
    if (step.type === "cut") return writer.cut();
    if (step.type === "failure") return writer.fail(step.message);
    if (step.type === "pause") await writer.pause(step.ms, step.keepAlive);
    else {
      count++;
      writer.delta(stepDelta(step, toolCalls));
      if (step.type === "toolCall") toolCalls++;
      await writer.pace();
    }
  }
  writer.finish(answer.finishReason, request.includeUsage ? usage(request, count) : undefined);
}

type ContentStep = Extract<AnswerStep, { type: "text" | "reasoning" | "toolCall" }>;

function stepDelta(step: ContentStep, toolCalls: number): unknown {
  switch (step.type) {
    case "text":
      return { content: step.text };
    case "reasoning":
      return { reasoning_content: step.text };
    case "toolCall":
      return { tool_calls: [{ index: toolCalls, ...toolCall(step, toolCalls) }] };
  }
}

function toolCall(step: Extract<AnswerStep, { type: "toolCall" }>, index: number) {
  return {
    id: `call_${index + 1}`,
    type: "function",
    function: { name: step.name, arguments: step.arguments },
  };
}

class EventWriter {
  readonly #response: ServerResponse;
  readonly #start: string;
  readonly #tokensPerSecond: number;
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  #steps = 0;
  #batch = "";

  constructor(response: ServerResponse, request: ChatRequest, tokensPerSecond: number, signal: AbortSignal) {
    this.#response = response;
    this.#start = JSON.stringify(envelope(request, "chat.completion.chunk")).slice(0, -1);
    this.#tokensPerSecond = tokensPerSecond;
    this.#signal = signal;
  }

  delta(delta: unknown): void {
    this.#choice(delta, null);
  }

  finish(reason: string, total: Usage | undefined): void {
    this.#choice({}, reason);
    if (total !== undefined) this.#event(`${this.#start},"choices":[],"usage":${JSON.stringify(total)}}`);
    this.#batch += "data: [DONE]\n\n";
    this.#flush();
    this.#response.end();
  }

  fail(message: string): void {
    this.#event(
      JSON.stringify({ error: { message, type: "server_error", param: null, code: "demo_failure" } }),
    );
    this.#flush();
    this.#response.end();
  }

  cut(): void {
    this.#flush();
    this.#response.end();
  }

  async pause(ms: number, keepAlive: boolean): Promise<void> {
    this.#flush();
    for (let left = ms; left > 0 && !this.#signal.aborted; left -= keepAliveMs) {
      await this.#wait(Math.min(left, keepAliveMs));
      if (keepAlive) this.#response.write(": keep-alive\n\n");
    }
  }

  /** Waits until the next token is due; without a pace, until the client has taken what was written. */
  async pace(): Promise<void> {
    this.#steps++;
    if (this.#tokensPerSecond > 0) {
      const dueMs = (this.#steps / this.#tokensPerSecond) * 1000 - (performance.now() - this.#startedAt);
      // Faster than timers can tick: what is due together is written together.
      if (dueMs < 2) return;
      this.#flush();
      await this.#wait(dueMs);
    } else if (this.#batch.length >= batchLength && !this.#flush()) {
      await once(this.#response, "drain", { signal: this.#signal }).catch(() => undefined);
    }
  }

  #choice(delta: unknown, finishReason: string | null): void {
    this.#event(
      `${this.#start},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":${JSON.stringify(finishReason)}}]}`,
    );
  }

  #event(data: string): void {
    this.#batch += `data: ${data}\n\n`;
  }

  #flush(): boolean {
    const batch = this.#batch;
    this.#batch = "";
    return batch === "" || this.#response.write(batch);
  }

  /** Ends early, without an error, when the client goes. */
  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => undefined);
  }
}

function envelope(request: ChatRequest, object: string) {
  return {
    id: `chatcmpl-${randomUUID()}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: request.model.id,
  };
}

function usage(request: ChatRequest, completionTokens: number): Usage {
  const texts = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  const promptTokens = Math.max(1, Math.ceil(texts.join("").length / 4));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
