import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createAnswer } from "./answers.ts";
import type { ChatRequest } from "./chatRequest.ts";
import { textOf } from "./chatRequest.ts";
import type { DemoState } from "./demoState.ts";
import { EventStreamSink } from "./eventStreamSink.ts";
import { generate } from "./generate.ts";
import { limitTokens } from "./limitTokens.ts";
import { Pace } from "./pace.ts";
import { countTokens } from "./tokens.ts";
import { TokenTally } from "./tokenTally.ts";
import { WholeReplySink } from "./wholeReplySink.ts";

const keepAliveMs = 5_000;
/** The thinker is slow: so much of the speed is left. */
const thinkingSpeed = 1 / 3;

export interface CompletionContext {
  readonly state: DemoState;
  readonly tokensPerSecond: number;
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
}

/** Answers a chat completion, streamed or whole (interface section 4.1). Rejects as soon as the signal aborts. */
export async function complete(
  request: ChatRequest,
  response: ServerResponse,
  context: CompletionContext,
  signal: AbortSignal,
): Promise<void> {
  const { model, messages, stream, includesUsage, maxTokens } = request;
  const answer = createAnswer(request, context.state);
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(context.now() / 1000),
    model: model.id,
  };
  const promptTokens = messages.reduce((sum, message) => sum + countTokens(textOf(message)), 0);
  const tally = new TokenTally(promptTokens);
  const usage = (): ReturnType<TokenTally["usage"]> => tally.usage();
  const speed = request.tokensPerSecond ?? context.tokensPerSecond;
  await generate({
    pieces: maxTokens === undefined ? answer : limitTokens(answer, maxTokens),
    sink: stream
      ? new EventStreamSink(response, head, signal, includesUsage ? usage : undefined)
      : new WholeReplySink(response, head, usage),
    pace: new Pace(model.behaviour === "reasoning" ? speed * thinkingSpeed : speed),
    keepAliveMs,
    signal,
    onPiece: (piece) => tally.count(piece),
  });
}
