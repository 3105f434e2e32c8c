import { setTimeout as wait } from "node:timers/promises";
import { HttpFailure } from "../http/reply.ts";
import type { DemoState } from "./catalog.ts";
import { lastUserText, textOf } from "./chatRequest.ts";
import type { ChatRequest } from "./chatRequest.ts";
import type { ResponsePiece } from "./responseSink.ts";
import { finish, say } from "./tokens.ts";

/** Shorter waits aren't worth a timer: tokens due at the same moment are sent together. */
const shortestWaitMs = 4;

/** Calculates when the next token is due, which sets the speed of a stream. */
export class TokenPace {
  readonly #tokensPerSecond: number;
  #start: number | undefined;
  #count = 0;

  /** 0 means as fast as possible. */
  constructor(tokensPerSecond: number) {
    this.#tokensPerSecond = tokensPerSecond;
  }

  /** Milliseconds until the next token may be sent; 0 if it is due. */
  waitMs(): number {
    if (this.#tokensPerSecond === 0) return 0;
    const now = performance.now();
    this.#start ??= now;
    const due = this.#start + (this.#count * 1_000) / this.#tokensPerSecond;
    return due <= now ? 0 : Math.max(due - now, shortestWaitMs);
  }

  countToken(): void {
    this.#count++;
  }

  /** Doesn't catch up after a pause between two tokens. */
  restart(): void {
    this.#start = undefined;
    this.#count = 0;
  }
}

/** Waits for `ms`; rejects at once when the signal aborts. Calls `onTick` every `tickMs` while waiting. */
export async function waitTicking(
  ms: number,
  tickMs: number,
  onTick: () => void,
  signal: AbortSignal,
): Promise<void> {
  let left = ms;
  while (left > tickMs) {
    await wait(tickMs, undefined, { signal });
    left -= tickMs;
    onTick();
  }
  await wait(left, undefined, { signal });
}

const refusalsBeforeResponse = 2;
const longestSilenceSeconds = 600;

/** Refuses twice with a wait time, then responds, and repeats. */
export function limitRate(request: ChatRequest, state: DemoState): Iterable<ResponsePiece> {
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
export function* breakStream(): Generator<ResponsePiece> {
  yield* say("This response begins well, and then the server");
  const message = "This demo model fails on purpose in the middle of its response.";
  yield { type: "error", code: "demo_failure", message };
}

const cutText = "This response is cut off on purpose: the connection ends in the middle of";

/**
 * Ends like a stream that was cut off by a proxy. If the prompt says "reset", the connection breaks instead. If asked
 * to continue from there, it does.
 */
export function* truncate(request: ChatRequest): Generator<ResponsePiece> {
  const before = request.messages.at(-2);
  if (before?.role === "assistant" && textOf(before).endsWith(cutText)) {
    yield* sayAll(" a sentence. This is its end, which came when it was asked for.");
    return;
  }
  yield* say(cutText);
  yield { type: "cut", how: /\breset\b/i.test(lastUserText(request)) ? "reset" : "end" };
}

/** “… 5 seconds …” in the prompt requests a shorter period of silence. */
export function* keepSilent(request: ChatRequest): Generator<ResponsePiece> {
  const wanted = /\b(\d{1,3}) seconds?\b/.exec(lastUserText(request))?.[1];
  const seconds = Math.min(Number(wanted ?? longestSilenceSeconds), longestSilenceSeconds);
  yield { type: "silence", ms: seconds * 1000 };
  yield* say(`That were ${seconds} seconds of silence.`);
  yield finish();
}
