import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResponsePiece } from "../../../src/localGateway/inference/responseSink.ts";
import { EventStreamSink } from "../../../src/localGateway/inference/responseSink.ts";
import { generate } from "../../../src/localGateway/inference/complete.ts";
import { TokenPace } from "../../../src/localGateway/inference/pace.ts";
import { createFaultModels } from "../../support/faultModels.ts";
import { createRequestRecord } from "../../support/requestRecord.ts";
import type { RequestRecord } from "../../support/requestRecord.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

describe("A stream from the local gateway", () => {
  let gateway: RunningLocalGateway;
  let onRequest: (record: RequestRecord) => void = () => undefined;

  before(async () => {
    const onRequested = (...call: Parameters<typeof createRequestRecord>) =>
      onRequest(createRequestRecord(...call));
    gateway = await startLocalGateway(
      { port: 0, tokensPerSecond: 0, onRequest: onRequested },
      createFaultModels(),
    );
  });
  after(() => gateway.stop());

  function post(body: object, on = gateway): Promise<IncomingMessage> {
    const outgoing = request(`${on.inferenceBaseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${on.credentials.apiKey}`, "content-type": "application/json" },
    });
    outgoing.end(JSON.stringify({ stream: true, ...body }));
    return new Promise((resolve, reject) => outgoing.once("response", resolve).on("error", reject));
  }
  async function readText(response: IncomingMessage): Promise<string> {
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
    return text;
  }
  const ask = (content: string, more: object = {}): object => ({
    model: "demo-lab/echo-omni",
    messages: [{ role: "user", content }],
    ...more,
  });
  const withoutIds = (text: string): string =>
    text.replace(/"id":"chatcmpl-[\w-]+"/g, '"id":"ID"').replace(/"created":\d+/g, '"created":0');

  it("matches the standard format byte for byte", async () => {
    const response = await post(ask("2 tokens", { stream_options: { include_usage: true } }));
    assert.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
    const start =
      'data: {"id":"ID","object":"chat.completion.chunk","created":0,"model":"demo-lab/echo-omni",';
    const delta = (json: string, reason = "null"): string =>
      `${start}"choices":[{"index":0,"delta":${json},"finish_reason":${reason}}],"usage":null}\n\n`;
    const usage =
      '{"prompt_tokens":2,"completion_tokens":2,"total_tokens":4,"completion_tokens_details":{"reasoning_tokens":0}}';
    assert.equal(
      withoutIds(await readText(response)),
      [
        delta('{"role":"assistant","content":""}'),
        delta('{"content":"\\n"}'),
        delta('{"content":"##"}').replace("##", "#"),
        delta("{}", '"stop"'),
        `${start}"choices":[],"usage":${usage}}\n\n`,
        "data: [DONE]\n\n",
      ].join(""),
    );
  });
  it("omits usage unless it is requested", async () =>
    assert.doesNotMatch(await readText(await post(ask("Hi"))), /usage/));
  it("ends without a finish reason and without [DONE] when it is truncated", async () => {
    const text = await readText(await post(ask("Hi", { model: "demo-faults/truncated-response" })));
    assert.doesNotMatch(text, /DONE|"finish_reason":"/);
    assert.match(text, /middle/);
  });
  it("breaks after some text if a reset is requested", async () => {
    const response = await post(ask("reset", { model: "demo-faults/truncated-response" }));
    await assert.rejects(readText(response));
  });
  it("sends keep-alive comments while the model thinks", async () =>
    assert.match(
      await readText(await post(ask("Hi", { model: "demo-lab/slow-thinker" }))),
      /\n\n: keep-alive\n\n/,
    ));
  it("has the same text for the same seed, and a different text for another seed", async () => {
    const read = async (seed: number): Promise<string> => {
      const other = await startLocalGateway({ port: 0, tokensPerSecond: 0, seed });
      const text = await readText(await post(ask("500 tokens"), other));
      await other.stop();
      return withoutIds(text);
    };
    const [first, again, another] = [await read(7), await read(7), await read(8)];
    assert.equal(first, again);
    assert.notEqual(first, another);
  });
  it("has the speed that the request asks for", async () => {
    const startedAt = performance.now();
    await readText(await post(ask("11 tokens", { tokens_per_second: 50 })));
    // Ten waits of 20 ms. It may take longer on a slow machine.
    assert.ok(performance.now() - startedAt >= 195);
  });
  it("ends immediately when the client disconnects, however slow it is", async () => {
    const ended = new Promise<RequestRecord>((resolve) => (onRequest = resolve));
    const response = await post(ask("1000 tokens", { tokens_per_second: 1 }));
    await once(response, "data");
    response.destroy();
    const { isAborted, path } = await ended;
    assert.deepEqual({ isAborted, path }, { isAborted: true, path: "/v1/chat/completions" });
  });

  describe("while it is generated", () => {
    const total = 1_000_000;
    let pulled = 0;
    let returned = false;
    function* pieces(): Generator<ResponsePiece> {
      try {
        for (; pulled < total; pulled++) yield { type: "text", text: "a word and " };
      } finally {
        returned = true;
      }
    }

    it("waits for a client that doesn't read, and generates nothing more after it disconnects", async () => {
      let serverSide: ServerResponse | undefined;
      let generation: Promise<void> | undefined;
      const server = createServer((_, response) => {
        const gone = new AbortController();
        response.once("close", () => gone.abort());
        serverSide = response;
        const sink = new EventStreamSink(response, { id: "1", created: 0, model: "m" }, gone.signal);
        generation = generate({
          pieces: pieces(),
          sink,
          pace: new TokenPace(0),
          keepAliveMs: 1_000,
          signal: gone.signal,
          onPiece: () => undefined,
        });
        generation.catch(() => undefined);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      assert.ok(typeof address === "object" && address !== null);
      const outgoing = request({ port: address.port, host: "127.0.0.1" }).end();
      outgoing.on("error", () => undefined);
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      response.pause();
      let stalledTurns = 0;
      for (let last = -1; stalledTurns < 200; last = pulled) {
        await nextTurn();
        stalledTurns = serverSide?.writableNeedDrain === true && last === pulled ? stalledTurns + 1 : 0;
      }
      const pulledByThen = pulled;
      assert.ok(pulledByThen < total / 2);
      response.destroy();
      await assert.rejects(generation ?? Promise.resolve(), { name: "AbortError" });
      assert.equal(pulled, pulledByThen);
      assert.ok(returned);
      server.close();
    });
  });
});
