import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { readImageFacts } from "../../core/conversation/fileKind.ts";
import type { JsonObject } from "../../core/kernel/json.ts";
import type { ServerRecord } from "../gpu/demoServers.ts";
import { inferenceError } from "../http/reply.ts";
import { isToken, WholeReplySink, EventStreamSink } from "./responseSink.ts";
import type { ResponseSink, ResponsePiece } from "./responseSink.ts";
import { lastUserText, textOf } from "./chatRequest.ts";
import type { ChatMessage, ChatPart, ChatRequest, ExtraModel } from "./chatRequest.ts";
import { longMarkdown } from "./longText.ts";
import { TokenPace, waitTicking } from "./pace.ts";
import { describeServers } from "./serverGuide.ts";
import { countTokens, finish, say, splitTokens, think } from "./tokens.ts";

const longestQuote = 2_000;

/** Describes the request that arrived, and makes clear that it is only an echo. */
function echoText(request: ChatRequest): string {
  const { messages, parameters, tools } = request;
  const facts = [
    `- model: \`${request.model.id}\``,
    `- ${count(messages.length, "message")}: ${messages.map(({ role }) => role).join(", ")}`,
    ...Object.entries(parameters).map(([name, value]) => `- \`${name}\`: \`${JSON.stringify(value)}\``),
    ...(tools.length === 0
      ? []
      : [`- tools: ${tools.map(({ function: { name } }) => `\`${name}\``).join(", ")}`]),
  ];
  const intro = "I am the echo of the local gateway, not a language model. This arrived:";
  return [`${intro}\n\n${facts.join("\n")}`, ...messages.map(describeMessage)].join("\n\n");
}

function describeMessage(message: ChatMessage, index: number): string {
  const { role, name, content, tool_calls, tool_call_id } = message;
  const facts = [
    ...content.map(describePart),
    ...tool_calls.map(({ id, function: call }) => `tool call \`${id}\`: \`${call.name}(${call.arguments})\``),
    ...(tool_call_id ? [`result of the tool call \`${tool_call_id}\``] : []),
  ];
  const title = `**${index + 1}. ${role}${name ? ` (${name})` : ""}**`;
  const list = facts.length === 0 ? "" : `\n\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
  return `${title}${list}${quote(textOf(message))}`;
}

const formatNames = { "image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WebP", "image/gif": "GIF" };

function describePart(part: ChatPart): string {
  switch (part.type) {
    case "text":
      return `text: ${count([...part.text].length, "character")}`;
    case "image_url":
      return describeImage(part.image_url.url);
    case "input_audio": {
      const { format, data } = part.input_audio;
      const bytes = Buffer.from(data, "base64");
      return `audio: ${format}, ${count(bytes.length, "byte")}`;
    }
  }
}

function describeImage(url: string): string {
  const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/is.exec(url) ?? [];
  if (data === undefined) return "image: an address only, which is not fetched";
  const bytes = Buffer.from(data, "base64");
  const facts = readImageFacts(bytes);
  if (facts === undefined) return "image: can't be read as PNG, JPEG, GIF or WebP";
  const isRight = mediaType.toLowerCase() === facts.mediaType;
  const claim = isRight ? "" : `, sent as ${mediaType || "no media type"}`;
  return `image: ${formatNames[facts.mediaType]}${claim}, ${facts.width} × ${facts.height} pixels, ${count(bytes.length, "byte")}`;
}

function quote(text: string): string {
  if (text === "") return "";
  const cut = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
  return `\n\n${cut.replace(/^/gm, "> ")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * The response of the requested model, created lazily piece by piece. Throws if the model refuses. Its content depends
 * only on the request, the seed and the servers. Code that needs schemas is loaded here, because
 * their validator would delay the start.
 */
async function createResponse(
  request: ChatRequest,
  { seed, servers, extraModels }: CompletionContext,
): Promise<Iterable<ResponsePiece>> {
  switch (request.model.behavior) {
    case "servers":
      return speak(longText(request, seed) ?? splitTokens(describeServers(lastUserText(request), servers())));
    case "echo":
      return speak(longText(request, seed) ?? splitTokens(echoText(request)));
    case "reasoning":
      return reason(request);
    case "tools":
      return (await import("./toolResponse.ts")).callTools(request);
    case "json":
      return speak(splitTokens(await jsonText(request)));
    case "extra":
      return extraModels.find(({ model }) => model === request.model)?.respond(request) ?? [];
  }
}

function* speak(tokens: Iterable<string>): Generator<ResponsePiece> {
  for (const text of tokens) yield { type: "text", text };
  yield finish();
}

/** "… 5000 tokens …" in the user's last message asks for a response of exactly that length. */
function longText(request: ChatRequest, seed: number): Iterable<string> | undefined {
  const wanted = /\b(\d{1,7}) tokens\b/.exec(lastUserText(request))?.[1];
  return wanted === undefined ? undefined : longMarkdown(Number(wanted), seed);
}

function* reason(request: ChatRequest): Generator<ResponsePiece> {
  yield* think(
    "I am the slow thinker of the local gateway and only pretend to think. First I look at the question. " +
      "Then I wait a little, so that you can see the reasoning before the response.",
  );
  yield { type: "comment", text: "keep-alive" };
  yield { type: "silence", ms: 700 };
  yield* think(" Now I know what to say.");
  const question = lastUserText(request).slice(0, 200);
  yield* say(`You asked: “${question}”. After some thought: this is a demo, so I can't answer that.`);
  yield finish();
}

/** JSON that matches `response_format`. The values are made up, and say so if there is room. */
async function jsonText(request: ChatRequest): Promise<string> {
  const format = request.response_format;
  if (format.type !== "json_schema") {
    return JSON.stringify({ demo: true, question: lastUserText(request).slice(0, 200) }, undefined, 2);
  }
  const { createInstance } = await import("./createInstance.ts");
  const value = createInstance(format.json_schema.schema);
  if (value !== undefined) return JSON.stringify(value, undefined, 2);
  const message = "The demo model found no value that satisfies the schema of “response_format”.";
  throw inferenceError(400, message, "invalid_request_error", "unsupported_schema", "response_format");
}

/** Counts the tokens of one response. */
class TokenTally {
  readonly #promptTokens: number;
  #completionTokens = 0;
  #reasoningTokens = 0;

  constructor(promptTokens: number) {
    this.#promptTokens = promptTokens;
  }

  count(piece: ResponsePiece): void {
    if (!isToken(piece)) return;
    this.#completionTokens++;
    if (piece.type === "reasoning") this.#reasoningTokens++;
  }

  /** The `usage` of a response. Reasoning tokens are included in the completion tokens. */
  usage(): JsonObject {
    return {
      prompt_tokens: this.#promptTokens,
      completion_tokens: this.#completionTokens,
      total_tokens: this.#promptTokens + this.#completionTokens,
      completion_tokens_details: { reasoning_tokens: this.#reasoningTokens },
    };
  }
}

const keepAliveMs = 5_000;
/** Fraction of the normal speed at which the thinking model responds. */
const thinkingSpeed = 1 / 3;

/** What demo responses depend on besides the request. */
export interface CompletionContext {
  readonly seed: number;
  /** The servers as they are now. */
  servers(): readonly ServerRecord[];
  readonly extraModels: readonly ExtraModel[];
  readonly tokensPerSecond: number;
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
}

/** Handles a chat completion, streamed or whole (interface section 4.1). Rejects as soon as the signal aborts. */
export async function complete(
  request: ChatRequest,
  response: ServerResponse,
  context: CompletionContext,
  signal: AbortSignal,
): Promise<void> {
  const { model, messages, stream, stream_options } = request;
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  const answer = await createResponse(request, context);
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(context.now() / 1000),
    model: model.id,
  };
  const promptTokens = messages.reduce((sum, message) => sum + countTokens(textOf(message)), 0);
  const tally = new TokenTally(promptTokens);
  const usage = (): ReturnType<TokenTally["usage"]> => tally.usage();
  const speed = request.tokens_per_second ?? context.tokensPerSecond;
  await generate({
    pieces: maxTokens === undefined ? answer : limitTokens(answer, maxTokens),
    sink: stream
      ? new EventStreamSink(
          response,
          head,
          signal,
          stream_options?.include_usage === true ? usage : undefined,
        )
      : new WholeReplySink(response, head, usage),
    pace: new TokenPace(model.behavior === "reasoning" ? speed * thinkingSpeed : speed),
    keepAliveMs,
    signal,
    onPiece: (piece) => tally.count(piece),
  });
}

/** Ends a response after `maxTokens` tokens with the finish reason `length` (interface section 2.1: max_tokens). */
function* limitTokens(pieces: Iterable<ResponsePiece>, maxTokens: number): Generator<ResponsePiece> {
  let left = maxTokens;
  for (const piece of pieces) {
    if (isToken(piece) && left-- === 0) {
      yield { type: "finish", reason: "length" };
      return;
    }
    yield piece;
  }
}

interface Generation {
  /** Pulled one by one: nothing is generated before it is needed. */
  readonly pieces: Iterable<ResponsePiece>;
  readonly sink: ResponseSink;
  readonly pace: TokenPace;
  /** Milliseconds without a token after which a comment keeps the connection alive. */
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
  readonly onPiece: (piece: ResponsePiece) => void;
}

/** Generates a response at its pace. Rejects as soon as the signal aborts and generates nothing after that. */
export async function generate({
  pieces,
  sink,
  pace,
  keepAliveMs,
  signal,
  onPiece,
}: Generation): Promise<void> {
  for (const piece of pieces) {
    if (piece.type === "silence") {
      await sink.flush();
      await wait(piece.ms, undefined, { signal });
      pace.restart();
      continue;
    }
    if (isToken(piece)) {
      const waitMs = pace.waitMs();
      if (waitMs > 0) {
        await sink.flush();
        await waitTicking(waitMs, keepAliveMs, () => sink.keepAlive(), signal);
      }
      pace.countToken();
    }
    onPiece(piece);
    sink.write(piece);
    if (sink.isFull) {
      await sink.flush();
      signal.throwIfAborted();
    }
  }
  await sink.flush();
  sink.end();
}
