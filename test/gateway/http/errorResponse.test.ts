import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { ErrorContext } from "../../../src/gateway/http/errorResponse.ts";
import { readErrorResponse } from "../../../src/gateway/http/errorResponse.ts";

const inference: ErrorContext = {
  kind: "inference",
  method: "POST",
  url: new URL("https://service.example/chat/completions"),
};
const gateway: ErrorContext = {
  kind: "gateway",
  method: "GET",
  url: new URL("https://gateway.example/gpu/api/v1/servers?access_key=AKID&nonce=1&signature=abc&pageIdx=2"),
};

function readError(
  context: ErrorContext,
  statusCode: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ServiceError> {
  const response = {
    statusCode,
    headers,
    body: Readable.from([Buffer.from(body)]),
    sentAt: 0,
    receivedAt: 0,
  };
  return readErrorResponse(response, context);
}

describe("Error responses", () => {
  it("report a key that was never sent as missing, not as rejected", async () => {
    const error = await readError(
      { ...inference, isKeyless: true },
      401,
      '{"error":{"message":"Unauthorized"}}',
    );
    assert.deepEqual([error.reason, error.facts.credential], ["missingCredential", "apiKey"]);
    assert.match(error.message, /requires an API key, and none is stored/);
    assert.doesNotMatch(error.message, /refused/);
  });

  it("name the credential that was sent, whichever one the gateway's code names", async () => {
    const used = { ...gateway, credential: "accessKey" } as const;
    const error = await readError(used, 401, '{"code":"ERR_UNAUTHORIZED"}');
    assert.equal(error.facts.credential, "accessKey");
    const inside = await readError(used, 200, '{"code":401,"message":"token expired"}');
    assert.deepEqual([inside.reason, inside.facts.credential], ["signature", "accessKey"]);
  });

  it("explain that the port requires https if the server reports that", async () => {
    const plain = { ...inference, url: new URL("http://service.example:8443/v1/chat/completions") };
    for (const words of [
      "Client sent an HTTP request to an HTTPS server.\n",
      "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
      "Bad Request\nThis combination of host and port requires TLS.",
      "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    ]) {
      const error = await readError(plain, 400, words);
      assert.deepEqual([error.reason, error.facts.scheme], ["wrongScheme", "https"], words);
      assert.equal((await readError(inference, 400, words)).reason, "badRequest");
    }
  });

  it("don't blame the session token if another credential was sent", async () => {
    const body = `{"code":"ERR_UNAUTHORIZED"}`;
    assert.match(
      (await readError({ ...gateway, credential: "accessKey" }, 401, body)).message,
      /but a different credential/,
    );
    const own = await readError({ ...gateway, credential: "sessionToken" }, 401, body);
    assert.match(own.message, /rejected the session token/);
  });

  const codes = [
    ["ERR_UNAUTHORIZED", "sessionToken"],
    ["ERR_STS_UNAUTHORIZED", "stsToken"],
    ["ERR_AUTHTYPE", "authenticationType"],
    ["ERR_SIGNATURE", "signature"],
  ] as const;
  for (const [code, reason] of codes) {
    const bodies = [
      `{"code":"${code}"}`,
      `{"error":"${code}"}`,
      `{"errorCode":"${code}","message":"no"}`,
      `{"error":{"code":"${code}","message":"no"}}`,
      `{"code":401,"message":"${code}"}`,
      `{"message":"${code}: no"}`,
      code,
    ];
    for (const body of bodies) {
      it(`map the gateway's error ${body}`, async () => {
        const error = await readError(gateway, 401, body);
        assert.equal(error.reason, reason);
        assert.equal(error.facts.code, code);
        assert.equal(error.statusCode, 401);
      });
    }
  }

  const statuses = [
    [400, '{"error":{"message":"unknown model x"}}', "unknownModel"],
    [401, "", "apiKey"],
    [402, '{"error":{"code":"insufficient_quota","message":"insufficient balance"}}', "payment"],
    [429, '{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}', "payment"],
    [403, "error code: 1010", "forbidden"],
    [404, "<html><title>404</title></html>", "notFound"],
    [404, '{"error":{"code":"model_not_found","message":"The model x does not exist"}}', "unknownModel"],
    [405, "", "notFound"],
    [413, "", "badRequest"],
    [422, "", "badRequest"],
    [429, "", "rateLimit"],
    [500, "", "unavailable"],
    [503, "", "unavailable"],
    [504, "", "unavailable"],
  ] as const;
  for (const [status, body, reason] of statuses) {
    it(`map ${status} ${body} to ${reason}`, async () => {
      assert.equal((await readError(inference, status, body)).reason, reason);
    });
  }

  it("blame the credential that was sent if the gateway sends no code", async () => {
    const error = await readError({ ...gateway, credential: "accessKey" }, 401, "HMAC mismatch");
    assert.equal(error.reason, "signature");
  });

  it("name the URL and the missing /v1 if the path isn't found", async () => {
    const { message } = await readError(inference, 404, "");
    assert.match(message, /https:\/\/service\.example\/chat\/completions/);
    assert.match(message, /usually ends with “\/v1”/);
  });

  it("show no values of the query", async () => {
    const error = await readError(gateway, 404, "");
    const shown = JSON.stringify(error.facts);
    assert.match(shown, /access_key&nonce&signature&pageIdx/);
    assert.doesNotMatch(shown, /AKID|abc/);
  });

  it("contain the wait of a rate limit and the request ID", async () => {
    const error = await readError(inference, 429, "", { "retry-after": "7", "x-request-id": "req-1" });
    assert.equal(error.retryAfterMs, 7_000);
    assert.equal(error.facts.requestId, "req-1");
    assert.match(error.message, /7 s/);
  });

  it("use rate limit resets only if a limit was reached", async () => {
    const headers = { "x-ratelimit-reset-requests": "3s" };
    assert.equal((await readError(inference, 429, "", headers)).retryAfterMs, 3_000);
    assert.equal((await readError(inference, 500, "", headers)).retryAfterMs, undefined);
  });

  for (const secret of [
    "Bearer abcdefgh1234567890",
    "sk-proj-abcdef123456",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    'api_key="0123456789abcdef0123"',
    "token: 0123456789abcdef0123",
  ]) {
    it(`redact ${secret.slice(0, 8)}… in the server's message`, async () => {
      const error = await readError(inference, 401, JSON.stringify({ message: `Refused ${secret} here` }));
      const key = secret.split(/[\s"=:]+/).at(-1) || secret.slice(-8, -1);
      assert.ok(!JSON.stringify(error.facts).includes(key), error.message);
      assert.match(error.message, /Refused .* here/);
    });
  }

  it("omit control characters and marks that reorder text, and truncate long text", async () => {
    const error = await readError(
      inference,
      400,
      JSON.stringify({ message: `a\u001b[31m\u202eb${"x".repeat(2_000)}` }),
    );
    assert.match(error.facts.serverMessage ?? "", /^a \[31mbx+…$/);
    assert.equal(error.facts.serverMessage?.length, 500);
  });

  it("stop reading an endless body", async () => {
    const body = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(16_384, "x");
      })(),
    );
    const response = { statusCode: 500, headers: {}, body, sentAt: 0, receivedAt: 0 };
    assert.equal((await readErrorResponse(response, inference)).reason, "unavailable");
    assert.equal(body.destroyed, true);
  });
});
