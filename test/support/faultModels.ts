import { HttpFailure } from "../../src/localGateway/http/reply.ts";
import { createModel } from "../../src/localGateway/inference/catalog.ts";
import { lastUserText, textOf } from "../../src/localGateway/inference/chatRequest.ts";
import type { ChatRequest, ExtraModel } from "../../src/localGateway/inference/chatRequest.ts";
import type { ResponsePiece } from "../../src/localGateway/inference/responseSink.ts";
import { finish, say } from "../../src/localGateway/inference/tokens.ts";

/** Models that fail on purpose. The rate limit starts over with each call. */
export function createFaultModels(): readonly ExtraModel[] {
  const state = { refusals: 0 };
  return [
    {
      model: createModel("demo-faults/rate-limited", "extra"),
      respond: (request) => limitRate(request, state),
    },
    { model: createModel("demo-faults/error-in-mid-stream", "extra"), respond: breakStream },
    { model: createModel("demo-faults/truncated-response", "extra"), respond: truncate },
    { model: createModel("demo-faults/silent-for-ten-minutes", "extra"), respond: keepSilent },
  ];
}

const refusalsBeforeResponse = 2;
const longestSilenceSeconds = 600;

/** Refuses twice with a wait time, then responds, and repeats. */
function limitRate(request: ChatRequest, state: { refusals: number }): Iterable<ResponsePiece> {
  if (state.refusals >= refusalsBeforeResponse) {
    state.refusals = 0;
    const question = lastUserText(request).slice(0, 200);
    return sayAll(
      `The first two attempts were rejected, and the third one succeeded. You asked: “${question}”.`,
    );
  }
  state.refusals++;
  const message = "Rate limit reached for this demo model. Please try again in 2 s.";
  const error = { message, type: "rate_limit_error", param: null, code: "rate_limit_exceeded" };
  throw new HttpFailure(
    429,
    { error },
    {
      "retry-after": "2",
      "x-ratelimit-limit-requests": "1",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "2s",
    },
  );
}

function* sayAll(text: string): Generator<ResponsePiece> {
  yield* say(text);
  yield finish();
}

/** A response that ends in an error after its first words. */
function* breakStream(): Generator<ResponsePiece> {
  yield* say("This response begins well, and then the server");
  const message = "This demo model fails on purpose in the middle of its response.";
  yield { type: "error", code: "demo_failure", message };
}

const cutText = "This response is cut off on purpose: the connection ends in the middle of";

/**
 * Ends like a stream that was cut off by a proxy. If the prompt says "reset", the connection breaks instead. If asked
 * to continue from there, it does.
 */
function* truncate(request: ChatRequest): Generator<ResponsePiece> {
  const before = request.messages.at(-2);
  if (before?.role === "assistant" && textOf(before).endsWith(cutText)) {
    yield* sayAll(" a sentence. This is its end, which came when it was asked for.");
    return;
  }
  yield* say(cutText);
  yield { type: "cut", how: /\breset\b/i.test(lastUserText(request)) ? "reset" : "end" };
}

/** “… 5 seconds …” in the prompt requests a shorter period of silence. */
function* keepSilent(request: ChatRequest): Generator<ResponsePiece> {
  const wanted = /\b(\d{1,3}) seconds?\b/.exec(lastUserText(request))?.[1];
  const seconds = Math.min(Number(wanted ?? longestSilenceSeconds), longestSilenceSeconds);
  yield { type: "silence", ms: seconds * 1000 };
  yield* say(`That were ${seconds} seconds of silence.`);
  yield finish();
}
