import assert from "node:assert/strict";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import type { GatewayCredentialKind } from "../../../src/core/kernel/credential.ts";
import { createResponseError } from "../../../src/gateway/http/errorResponse.ts";
import { parseErrorText } from "../../../src/gateway/errors/serverText.ts";

const urls = {
  chat: "https://service.example/v1/chat/completions",
  models: "https://service.example/v1/models",
  list: "https://gpu.example/gpu/api/v1/servers",
  action: "https://gpu.example/gpu/api/v1/servers/7/start",
} as const;

function factsOf(
  address: keyof typeof urls,
  statusCode: number,
  value: unknown,
  credential: GatewayCredentialKind = "accessKey",
): ErrorFacts {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const url = new URL(urls[address]);
  const method = address === "models" || address === "list" ? "GET" : "POST";
  const isInference = address === "chat" || address === "models";
  const context = isInference
    ? ({ kind: "inference", method, url } as const)
    : ({ kind: "gateway", credential, method, url } as const);
  const response = { statusCode, headers: {}, receivedAt: 0 };
  return createResponseError(response, parseErrorText(body), body, context).facts;
}

describe("The advice of an error", () => {
  for (const [address, status, body, advice] of [
    ["chat", 410, { error: "deprecated" }, /another model/],
    ["chat", 400, { message: "no" }, /another model/],
    ["models", 400, { message: "no" }, /base URL/],
    ["models", 410, { message: "gone" }, /base URL/],
    ["list", 410, { error: "deprecated_endpoint", msg: "Use /api/v1/instances/ instead." }, /gateway URL/],
    ["list", 404, { message: "not found" }, /gateway URL/],
    ["list", 400, { Code: "MissingRegionId", Message: "RegionId is mandatory." }, /serverListQuery/],
    ["list", 422, { detail: [{ loc: ["query", "project_id"], msg: "Field required" }] }, /serverListQuery/],
    ["list", 409, { message: "account is being migrated" }, /Retry/],
    ["action", 400, { message: "no" }, /Change the request/],
  ] as const)
    it(`is about the address that was requested: ${address} ${status} ${JSON.stringify(body)}`, () => {
      const { message } = factsOf(address, status, body);
      assert.match(message, advice);
      if (address !== "chat") assert.doesNotMatch(message, /another model|firewall/);
    });

  for (const [status, code, words, says] of [
    [400, "SignatureNonceUsed", "Specified signature nonce was used already.", /nonce.*new nonce/],
    [400, "Bad", "Duplicate nonce", /nonce/],
    [
      403,
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
      /clock/,
    ],
    [200, "AuthFailure.SignatureExpire", "The signature has expired.", /clock/],
    [400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.", /clock/],
    [400, "Failed", "The timestamp is out of range", /clock/],
  ] as const)
    it(`tells a nonce and a time from everything else that other clouds refuse: ${code} ${words}`, () => {
      const facts = factsOf("list", status, { Code: code, Message: words });
      assert.equal(facts.reason, "signature");
      assert.match(facts.message, says);
      assert.doesNotMatch(facts.message, /model|same request would fail|firewall/);
    });

  for (const [status, code, words] of [
    [
      403,
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the one you provided.",
    ],
    [404, "InvalidAccessKeyId.NotFound", "Specified access key is not found."],
    [403, "InvalidClientTokenId", "The security token included in the request is invalid."],
    [400, "Failed", "Invalid signature"],
    [403, "AuthFailure.SecretIdNotFound", "The SecretId is not found"],
  ] as const)
    it(`blames the key or its signature, and no firewall, for ${code} ${words}`, () => {
      const { reason, message } = factsOf("list", status, { Code: code, Message: words });
      assert.equal(reason, "signature");
      assert.doesNotMatch(message, /firewall|gateway URL|same request would fail/);
    });

  it("asks for the token that other clouds refuse, whatever the status is", () => {
    for (const [status, code] of [
      [400, "InvalidSecurityToken.Expired"],
      [400, "ExpiredToken"],
      [200, "AuthFailure.TokenFailure"],
    ] as const) {
      const { reason } = factsOf(
        "list",
        status,
        { Code: code, Message: "The token is expired." },
        "stsToken",
      );
      assert.equal(reason, "stsToken");
    }
  });

  it("names a network that requires to sign in, and no redirect where there is none", () => {
    assert.match(factsOf("chat", 511, "<html><title>Welcome</title></html>").message, /browser/);
    assert.equal(factsOf("chat", 304, "").reason, "malformed");
  });

  for (const [status, words, advice] of [
    [429, "Daily token allowance exhausted", /quota is renewed/],
    [403, "Daily token allowance exhausted", /quota is renewed/],
    [400, "Monthly quota of this key used up", /quota is renewed/],
    [429, "You've hit your weekly limit.", /quota is renewed/],
    [429, "5-hour usage limit reached", /quota is renewed/],
    [429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more", /quota is renewed/],
    [429, "You have exceeded your monthly included credits.", /quota is renewed/],
    [429, "Your account has used all of its tokens for today", /quota is renewed/],
    [429, "已达到每日调用上限", /quota is renewed/],
    [429, "TPD limit reached. Please try again in 3m12s", /wait 4 min/],
    [429, "Limit reached: 60 requests per minute, 1000 requests per day", /Wait a moment/],
    [429, "Rate limit reached on requests per min (RPM): Limit 3, Used 3", /Wait a moment/],
    [429, "Too many requests", /Wait a moment/],
    [403, "The allowance for this API key is exhausted", /Add credit/],
    [402, "Insufficient balance", /Add credit/],
    [403, "You may not use this model on weekdays", /permissions/],
  ] as const)
    it(`fits how long a limit lasts: ${status} ${words}`, () =>
      assert.match(factsOf("chat", status, { error: { message: words } }).message, advice));

  it("follows the detail that a server puts into the name of the parameter", () => {
    const error = { code: "400", message: "Param Incorrect", param: "text is not set", type: "" };
    assert.match(factsOf("chat", 400, { error }).message, /Param Incorrect: text is not set/);
    const named = { message: "Bad value for messages", param: "messages" };
    assert.equal(factsOf("chat", 400, { error: named }).serverMessage, "Bad value for messages");
  });
});
