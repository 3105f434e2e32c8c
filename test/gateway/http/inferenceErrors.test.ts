import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { remediesFor } from "../../../src/core/account/remedies.ts";
import type { ErrorReason, TokenCounts } from "../../../src/core/kernel/errors.ts";
import { parseErrorDocument } from "../../../src/gateway/errors/errorJson.ts";
import { createReportedError, createResponseError } from "../../../src/gateway/http/errorResponse.ts";
import { parseErrorText } from "../../../src/gateway/errors/serverText.ts";
import { isRetriable } from "../../../src/gateway/http/retry.ts";

/** What an inference service returns instead of a completion, and what it means. */
interface ErrorCase {
  readonly name: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expected: {
    readonly reason: ErrorReason;
    /** The part of the server's own message that must be shown. */
    readonly words?: string;
    readonly code?: string;
    readonly waitMs?: number;
    readonly tokens?: TokenCounts;
    readonly parameter?: string;
    readonly link?: string;
    readonly retriable?: boolean;
    readonly actions?: readonly string[];
  };
}

const cases: readonly ErrorCase[] = JSON.parse(
  readFileSync(new URL("../../fixtures/inference-errors.json", import.meta.url), "utf8"),
);
const url = new URL("https://service.example/v1/chat/completions");
const context = { kind: "inference", method: "POST", url } as const;

describe("The error of an inference service", () => {
  for (const { name, status, headers = {}, body, expected } of cases) {
    it(`is understood: ${name}`, () => {
      const response = { statusCode: status, headers, receivedAt: 0 };
      const error = createResponseError(response, parseErrorText(body), body, context);
      const { facts } = error;
      assert.equal(facts.reason, expected.reason, facts.message);
      if (expected.words !== undefined) {
        const words = expected.words.replace(/\s+/g, " ");
        assert.ok(facts.serverMessage?.includes(words), facts.serverMessage);
        assert.ok(facts.message.includes(words), facts.message);
      }
      if (expected.code !== undefined) assert.equal(facts.code, expected.code);
      assert.equal(facts.retryAfterMs, expected.waitMs);
      if (expected.tokens !== undefined) assert.deepEqual(facts.tokens, expected.tokens);
      assert.equal(facts.parameter, expected.parameter);
      if (expected.link !== undefined) assert.equal(facts.link, expected.link);
      if (expected.retriable !== undefined) assert.equal(isRetriable(error), expected.retriable);
      for (const action of expected.actions ?? [])
        assert.ok(remediesFor(facts, "chat").some((id) => id === action));
      assert.doesNotMatch(facts.message, /\(\)|undefined|\[object/);
    });
  }

  const unspoken: ReadonlySet<ErrorReason> = new Set(["unavailable", "forbidden", "notFound", "badRequest"]);
  for (const { name, body, expected } of cases) {
    const document = parseErrorDocument(body);
    if (typeof document !== "object" || unspoken.has(expected.reason)) continue;
    it(`is understood in the middle of a stream, too: ${name}`, () => {
      const response = { statusCode: 200, headers: {}, receivedAt: 0 };
      const { facts } = createReportedError(response, document, context);
      assert.equal(facts.reason, expected.reason, facts.message);
      assert.equal(facts.parameter, expected.parameter);
      if (expected.tokens !== undefined) assert.deepEqual(facts.tokens, expected.tokens);
      if (expected.words !== undefined)
        assert.ok(facts.message.includes(expected.words.replace(/\s+/g, " ")));
      assert.notEqual(facts.statusCode, 200);
      assert.doesNotMatch(facts.message, /\(\)|undefined|\[object/);
    });
  }
});
