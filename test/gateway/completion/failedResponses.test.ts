import assert from "node:assert/strict";
import { delta, readBody, stream, text } from "./readBody.ts";

describe("Failed chat responses", () => {
  it("are reported as truncated if they just end, and keep their text", async () => {
    const { events, error } = await readBody(stream(delta({ content: "a" })));
    assert.deepEqual(events, [text("a")]);
    assert.equal(error?.reason, "truncated");
    assert.equal(error?.requestId, "req-7");
  });

  it("are reported as empty, not as kept in part, if they end before they begin", async () => {
    for (const [body, type] of [
      ["", "text/event-stream"],
      ["", "application/json"],
      [stream(), "text/event-stream"],
      [": waiting\n\n", "text/event-stream"],
    ] as const) {
      const { error } = await readBody(body, type);
      assert.equal(error?.reason, "truncated");
      assert.match(error.message, /empty response/, JSON.stringify(body));
    }
  });

  it("are reported as truncated if the body is a cut-off JSON response", async () => {
    assert.equal(
      (await readBody('{"choices":[{"message":{"con', "application/json")).error?.reason,
      "truncated",
    );
  });

  it("may be a web page, whose title is shown", async () => {
    const page = "<!doctype html><html><head><title>Sign in to Corp</title></head><body>…</body></html>";
    for (const type of ["text/html", "text/event-stream"]) {
      const { error } = await readBody(page, type);
      assert.equal(error?.reason, "malformed");
      assert.match(error?.message ?? "", /Sign in to Corp.*web page.*base URL/);
    }
  });

  for (const body of [
    stream({ error: "gone wrong" }),
    stream({ object: "error", message: "gone wrong" }),
    'event: error\ndata: {"detail":"gone wrong"}\n\n',
    "event: error\ndata: gone wrong\n\n",
    'error: {"message":"gone wrong"}\n\n',
    '{"error":{"message":"gone wrong"}}',
  ]) {
    it(`contain the server's error: ${body.trim()}`, async () => {
      const { error } = await readBody(body);
      assert.equal(error?.reason, "service");
      assert.match(error?.message ?? "", /gone wrong/);
    });
  }

  it("get the same reason for an error code in the stream as before the first byte", async () => {
    const { error } = await readBody(stream({ error: { message: "gone wrong", code: "server_error" } }));
    assert.equal(error?.reason, "unavailable");
    assert.match(error?.message ?? "", /gone wrong.*Retry/);
  });

  it("show the message of a complete error with status 200 in an unusual format", async () => {
    for (const body of [
      '{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}',
      '{"status":"failed","info":{"why":{"message":"insufficient balance"}}}',
      stream({ base_resp: { status_code: 1008, status_msg: "insufficient balance" } }),
      stream({ error_code: 17, error_msg: "insufficient balance" }),
    ]) {
      const { error } = await readBody(body);
      assert.equal(error?.reason, "payment", body);
      assert.match(error?.message ?? "", /insufficient balance/);
    }
  });

  it("may contain an error with a status or a known code in the stream", async () => {
    const limited = await readBody(stream({ error: { message: "slow down", code: 429 } }));
    assert.equal(limited.error?.reason, "rateLimit");
    const unpaid = await readBody(stream({ error: { message: "no", type: "insufficient_quota" } }));
    assert.equal(unpaid.error?.reason, "payment");
  });

  it("may contain an error with status 200 in the fields of the body", async () => {
    const { error } = await readBody('{"msg":"认证失败","code":401}', "application/json");
    assert.equal(error?.reason, "apiKey");
    assert.match(error?.message ?? "", /认证失败/);
  });
});
