import type { Attempt, Exchange } from "../../src/core/responses/exchange/exchange.ts";

/** A request with an immediate response, overridden by the given parts. */
export function createAttempt(parts: Partial<Attempt> = {}): Attempt {
  return {
    request: {
      method: "POST",
      url: "https://inference.example/v1/chat/completions",
      headers: { accept: "text/event-stream", authorization: "Bearer [redacted]" },
      body: JSON.stringify({ model: "organization/model", messages: [], stream: true }),
    },
    startMs: 1,
    connection: { isReused: false },
    connectedMs: 20,
    sentMs: 21,
    headMs: 100,
    response: { statusCode: 200, headers: { "x-request-id": "r-1" }, requestId: "r-1" },
    ...parts,
  };
}

/** A whole exchange with one attempt, overridden by the given parts. */
export function createExchange(parts: Partial<Exchange> = {}): Exchange {
  return {
    startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    model: "organization/model",
    purpose: "response",
    attempts: [createAttempt()],
    outcome: "complete",
    endMs: 1_234.56,
    finishReason: "stop",
    usage: { promptTokens: 3, completionTokens: 100 },
    ...parts,
  };
}
