import assert from "node:assert/strict";
import { remediesFor } from "../../../src/core/account/remedies.ts";
import { delta, finish, readBody, stop, stream, text } from "./readBody.ts";

describe("Failed chat responses", () => {
  it("are reported as truncated if they just end, and keep their text", async () => {
    const { events, error } = await readBody(stream(delta({ content: "a" })));
    assert.deepEqual(events, [text("a")]);
    assert.equal(error?.reason, "truncated");
    assert.equal(error?.facts.requestId, "req-7");
  });

  for (const reason of ["network_error", "insufficient_system_resource", "abort", "error"])
    it(`are reported as interrupted if that is their finish reason: ${reason}`, async () => {
      const end = { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
      const { events, error } = await readBody(`${stream(delta({ content: "a" }), end)}data: [DONE]\n\n`);
      assert.deepEqual(events, [text("a")]);
      assert.equal(error?.reason, "truncated");
      assert.match(error.message, new RegExp(`interrupted.*${reason}`));
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
    '[{"error":{"message":"gone wrong"}}]',
    stream([{ error: { message: "gone wrong" } }]),
    stream({ error: true, message: "gone wrong" }),
    stream({ error: "failed", message: "gone wrong" }),
    stream({ errors: ["gone wrong"] }),
    stream({ success: false, message: "gone wrong" }),
    stream({ code: 20, msg: "gone wrong" }),
    stream({ ...Object(delta({})), x_groq: { error: "gone wrong" } }),
    'event: exception\ndata: {"message":"gone wrong"}\n\n',
    `${stream(delta({ content: "a" }))}{"error":{"message":"gone wrong"}}\n`,
    `${stream(delta({ content: "a" }))}{\n  "error": {\n    "message": "gone wrong"\n  }\n}\n`,
    `${stream(delta({ content: "a" }))}<html><head><title>gone wrong</title></head>\n<body></body></html>`,
  ]) {
    it(`contain the server's error: ${body.trim()}`, async () => {
      const { error } = await readBody(body);
      assert.equal(error?.reason, "service");
      assert.match(error?.message ?? "", /gone wrong/);
    });
  }

  for (const notice of [
    { code: 0, message: "success" },
    { code: "200", msg: "ok" },
    { success: true, message: "connected" },
    { status: "queued", message: "position 3" },
  ])
    it(`don't begin with a notice that all is well: ${JSON.stringify(notice)}`, async () => {
      const { events, error } = await readBody(stream(notice, delta({ content: "a" }), stop));
      assert.equal(error, undefined);
      assert.deepEqual(events, [text("a"), finish]);
    });

  for (const error of [{}, { code: 0, message: "" }, { message: null }, false, "", []])
    it(`ignore an empty error beside the response: ${JSON.stringify(error)}`, async () => {
      const { events, error: found } = await readBody(
        stream({ ...Object(delta({ content: "a" })), error }, stop),
      );
      assert.equal(found, undefined);
      assert.deepEqual(events, [text("a"), finish]);
    });

  it("show words between angle brackets that aren't markup", async () => {
    const message = `Unexpected token '<', "<html><hea"... is not valid JSON: List<a>`;
    const { error } = await readBody(stream({ error: { message } }));
    assert.equal(error?.facts.serverMessage, message);
    const word = "Unexpected token 'I', \"Internal S\"... is not valid JSON";
    assert.equal((await readBody(stream({ error: word }))).error?.facts.serverMessage, word);
  });

  for (const [name, body] of [
    ["Text Generation Inference", stream({ token: { id: 1, text: "a" }, generated_text: null })],
    ["Text Generation Inference", '[{"generated_text":"a"}]'],
    ["Triton", stream({ model_name: "m", text_output: "a" })],
    ["Ollama", '{"message":{"content":"a"},"done":false}\n{"message":{"content":""},"done":true}\n'],
    ["Ollama", '{"response":"rate limit reached","done":true}'],
    ["Gemini", stream({ candidates: [{ content: { parts: [{ text: "a" }] } }] })],
    ["Cohere", stream({ type: "content-delta", index: 0, delta: { message: { content: { text: "a" } } } })],
    ["Bedrock", '{"output":{"message":{"content":[{"text":"a"}]}},"stopReason":"end_turn"}'],
    ["Anthropic", 'event: message_start\ndata: {"type": "message_start"}\n\n'],
    ["unknown format.*foo", `${stream({ foo: 1 })}data: [DONE]\n\n`],
    ["unknown format.*foo", '{"foo":1}'],
    ["isn't text", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 0x99])],
  ] as const)
    it(`say in which other format they are: ${name}, ${String(body).trim()}`, async () => {
      const { error } = await readBody(body);
      assert.equal(error?.reason, "malformed");
      assert.match(error.message, new RegExp(name));
      assert.ok(remediesFor(error.facts, "chat").includes("inspectRequest"));
    });

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
