import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createResponseError } from "../../../src/gateway/http/errorResponse.ts";
import { parseErrorText } from "../../../src/gateway/errors/serverText.ts";

/** Bodies that real services have sent or documented, each with its source. */
interface BodyCase {
  readonly name: string;
  readonly status: number;
  readonly body: string;
  readonly expected: {
    readonly code?: string | number;
    readonly message: string;
    readonly accept?: readonly string[];
    readonly forbid?: readonly string[];
  };
}

const cases: readonly BodyCase[] = JSON.parse(
  readFileSync(new URL("../../fixtures/error-bodies.json", import.meta.url), "utf8"),
);

function collapse(text: string | undefined): string | undefined {
  return text?.replace(/\s+/g, " ");
}

describe("Error bodies from other services", () => {
  for (const { name, status, body, expected } of cases) {
    it(`contain code and message: ${name}`, () => {
      const found = parseErrorText(body);
      const messages = [expected.message, ...(expected.accept ?? [])].map(collapse);
      assert.ok(messages.includes(collapse(found.message)), found.message);
      assert.equal(found.code, expected.code === undefined ? undefined : String(expected.code));
    });

    it(`are shown as a sentence: ${name}`, () => {
      const url = new URL("https://service.example/v1/chat/completions");
      const context = { kind: "inference", method: "POST", url } as const;
      const response = { statusCode: status, headers: {}, receivedAt: 0 };
      const { message } = createResponseError(response, parseErrorText(body), body, context);
      const words = [expected.message, ...(expected.accept ?? [])].map((text) => collapse(text) ?? "");
      assert.ok(
        words.some((text) => message.includes(text)),
        message,
      );
      for (const forbidden of expected.forbid ?? []) assert.ok(!message.includes(forbidden), message);
    });
  }
});

describe("Other formats of error bodies", () => {
  const shapes: readonly (readonly [body: string, code: string | undefined, message: string])[] = [
    [
      '{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}',
      "model_not_found",
      "no such model",
    ],
    ['{"error":{"message":"m","type":"server_error","code":null}}', "server_error", "m"],
    ['{"error":"invalid_token","error_description":"expired"}', "invalid_token", "expired"],
    ['{"code":"ERR_SIGNATURE","error":{"message":"mismatch"}}', "ERR_SIGNATURE", "mismatch"],
    ['{"errorCode":"ERR_AUTHTYPE","message":"no"}', "ERR_AUTHTYPE", "no"],
    ['{"Response":{"Error":{"Code":"AuthFailure","Message":"bad"},"RequestId":"r"}}', "AuthFailure", "bad"],
    ['{"__type":"com.example#AccessDeniedException","Message":"denied"}', "AccessDeniedException", "denied"],
    ['{"errors":[{"message":"m","extensions":{"code":"UNAUTHENTICATED"}}]}', "UNAUTHENTICATED", "m"],
    ['{"email":["is required"]}', undefined, "email: is required"],
    [
      '{"type":"https://example.com/probs/x","title":"Bad","status":422,"errors":[{"detail":"too small"}]}',
      undefined,
      "too small",
    ],
    ['"plain words"', undefined, "plain words"],
    [
      "<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>No &amp; no</Message></Error>",
      "AccessDenied",
      "No & no",
    ],
    [
      "<html><head><title>Error</title></head><body><pre>Cannot GET /v2</pre></body></html>",
      undefined,
      "Cannot GET /v2",
    ],
    ["error code: 1010", undefined, "error code: 1010"],
    ['{"error":', undefined, '{"error":'],
  ];
  for (const [body, code, message] of shapes) {
    it(`are parsed: ${body}`, () => {
      const found = parseErrorText(body);
      assert.equal(found.code, code);
      assert.equal(found.message, message);
    });
  }

  it("give nothing for an empty body, and may be deeply nested", () => {
    assert.deepEqual(parseErrorText(""), {});
    assert.doesNotThrow(() => parseErrorText(`${'{"error":'.repeat(5_000)}1${"}".repeat(5_000)}`));
  });
});
