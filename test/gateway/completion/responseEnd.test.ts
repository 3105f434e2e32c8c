import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { CompletionLimits } from "../../../src/gateway/completion/completionErrors.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";
import { withSlowClock } from "../../support/slowClock.ts";

interface Read {
  readonly text: string;
  readonly reasoning: string;
  readonly events: readonly CompletionEvent[];
  readonly error: ServiceError | undefined;
}

const head = { "content-type": "text/event-stream" };
const defaults: CompletionLimits = { maxLength: 1024 * 1024, finishTimeoutMs: 20_000 };

function chunk(content: string, finishReason: string | null = null): string {
  const choice = { index: 0, delta: { content }, finish_reason: finishReason };
  return `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
}

describe("The end of a response", function () {
  this.timeout(30_000);
  const transport = createTestTransport();
  let server: TestServer;
  let respond: (response: ServerResponse) => void | Promise<void>;

  before(async () => {
    server = await startServer((request, response) => {
      request.resume();
      void respond(response);
    });
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  function start(limits: Partial<CompletionLimits> = {}) {
    return createTestClient(server.url, { transport, limits: { ...defaults, ...limits } }).complete(
      { model: "m", messages: [], stream: true },
      {},
    );
  }

  async function read(limits: Partial<CompletionLimits> = {}): Promise<Read> {
    const events: CompletionEvent[] = [];
    let error: ServiceError | undefined;
    try {
      for await (const event of start(limits).events) events.push(event);
    } catch (thrown) {
      assert.ok(thrown instanceof ServiceError, String(thrown));
      error = thrown;
    }
    const textOf = (type: "text" | "reasoning"): string =>
      events.map((event) => (event.type === type ? event.text : "")).join("");
    return { text: textOf("text"), reasoning: textOf("reasoning"), events, error };
  }

  const count = (events: readonly CompletionEvent[], type: CompletionEvent["type"]): number =>
    events.filter((event) => event.type === type).length;

  it("loses nothing if every chunk has a finish reason and the stream pauses", async () => {
    respond = async (response) => {
      response.writeHead(200, head).write(chunk("one ", "stop"));
      await wait(2_500);
      response.write(chunk("two ", "stop"));
      await wait(1_500);
      response.end(`${chunk("three", "stop")}data: [DONE]\n\n`);
    };
    const { text, events, error } = await read();
    assert.equal(error, undefined);
    assert.equal(text, "one two three");
    assert.equal(count(events, "settling"), 2, "it looks finished in each pause");
    assert.equal(count(events, "finish"), 1);
    assert.equal(events.at(-1)?.type, "finish");
  });

  it("includes text, tool calls and usage that arrive long after the finish reason", async () => {
    respond = async (response) => {
      response.writeHead(200, head).write(chunk("a", "stop"));
      await wait(2_200);
      const call = { index: "0", id: "c", function: { name: "f", arguments: "{}" } };
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`);
      await wait(100);
      response.end(`data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 7 } })}\n\n`);
    };
    const { events, error } = await read();
    assert.equal(error, undefined);
    assert.deepEqual(events.slice(-3), [
      { type: "toolCall", index: 0, id: "c", name: "f", arguments: "{}" },
      { type: "usage", usage: { completionTokens: 7 } },
      { type: "finish", reason: "stop" },
    ]);
  });

  it("comes after a long idle time if the server keeps the connection open, and not before", async () => {
    respond = (response) => void response.writeHead(200, head).write(chunk("a", "stop"));
    const startedAt = performance.now();
    const { text, events } = await read({ finishTimeoutMs: 2_000 });
    assert.equal(text, "a");
    assert.deepEqual(
      events.map(({ type }) => type),
      ["text", "settling", "finish"],
    );
    assert.ok(performance.now() - startedAt >= 1_900);
  });

  it("comes with [DONE] even if the connection stays open, or with the end of the body", async () => {
    for (const finish of [
      (response: ServerResponse) => void response.write("data: [DONE]\n\n"),
      (response: ServerResponse) => void response.end(),
    ]) {
      respond = (response) => {
        response.writeHead(200, head).write(chunk("a") + chunk("b", "stop"));
        finish(response);
      };
      assert.deepEqual(
        (await read()).events.map(({ type }) => type),
        ["text", "text", "finish"],
      );
    }
  });

  it("is distinguished from a broken connection even if every chunk has a finish reason", async () => {
    respond = (response) => {
      response.writeHead(200, head).write(chunk("one ", "stop"));
      response.write(chunk("two", "stop"), () => setTimeout(() => response.destroy(), 50));
    };
    const { text, error } = await read();
    assert.equal(text, "one two");
    assert.equal(error?.reason, "truncated");
  });

  it("includes an unterminated last event after a finish reason", async () => {
    respond = (response) => void response.writeHead(200, head).end(chunk("a", "stop") + chunk("b").trimEnd());
    assert.equal((await read()).text, "ab");
  });

  for (const reason of ["null", "", "None"]) {
    it(`ignores the invalid finish reason ${JSON.stringify(reason)}`, async () => {
      respond = (response) => void response.writeHead(200, head).end(chunk("a", reason));
      assert.equal((await read()).error?.reason, "truncated");
    });
  }

  it("can be forced by a stop while a response looks finished", async () => {
    respond = (response) => void response.writeHead(200, head).write(chunk("a", "stop"));
    const run = start();
    const types: string[] = [];
    for await (const { type } of run.events) {
      types.push(type);
      if (type === "settling") run.stop();
    }
    assert.deepEqual(types, ["text", "settling"]);
  });

  describe("when the response is too large", () => {
    const limits = { maxLength: 100_000 };
    const isTooLarge = ({ error }: Read): void => {
      assert.equal(error?.reason, "truncated");
      assert.match(error?.message ?? "", /limit of 0\.1 MB/);
    };
    const long = "0123456789".repeat(15_000);

    it("adds a note and keeps everything up to the limit", async () => {
      respond = (response) => void response.writeHead(200, head).end(chunk("x".repeat(999)).repeat(200));
      const result = await read(limits);
      isTooLarge(result);
      assert.equal(result.text, "x".repeat(100_000));
    });

    it("keeps the received part of one endless line", async () => {
      respond = (response) => {
        response.writeHead(200, head).write(chunk("before "));
        const line = chunk(long.repeat(10));
        response.end(line);
      };
      const result = await read(limits);
      isTooLarge(result);
      assert.equal(result.text, `before ${long.repeat(10)}`.slice(0, 100_000));
    });

    it("keeps the received part of a single JSON response", async () => {
      const body = {
        id: "x",
        choices: [{ index: 0, message: { role: "assistant", content: long.repeat(10) } }],
      };
      respond = (response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      const result = await read(limits);
      isTooLarge(result);
      assert.equal(result.text, long.slice(0, 100_000));
    });

    it("comes at the limit for endless compressed comments", async () => {
      const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ": keep-alive\n\n"));
      respond = (response) =>
        void response
          .writeHead(200, { ...head, "content-encoding": "gzip" })
          .end(Buffer.concat([gzipSync(chunk("before")), bomb]));
      const result = await read(limits);
      isTooLarge(result);
      assert.equal(result.text, "before");
    });

    it("comes at the limit for endless tool calls", async () => {
      const call = (index: number): string =>
        `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index, id: `c${index}`, function: { name: "f", arguments: "{}" } }] } }] })}\n\n`;
      respond = (response) =>
        void response
          .writeHead(200, head)
          .end(Array.from({ length: 1_000 }, (_, index) => call(index)).join(""));
      const { events, error } = await read();
      assert.equal(count(events, "toolCall"), 256);
      assert.match(error?.message ?? "", /256 tool calls/);
    });
  });

  it("leaves time for other work while a lot of data arrives, and comes immediately on stop", async () => {
    const line = chunk("x".repeat(40));
    respond = (response) => {
      const page = Buffer.from(line.repeat(5_000));
      response.writeHead(200, head);
      const write = (): void => {
        while (!response.destroyed && response.write(page));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    };
    const run = start({ maxLength: 64 * 1024 * 1024 });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    let length = 0;
    let isStopped = false;
    for await (const event of run.events) {
      assert.equal(isStopped, false, "an event came after the stop");
      if (event.type === "text") length += event.text.length;
      isStopped = length > 10_000_000;
      if (isStopped) run.stop();
    }
    clearInterval(timer);
    assert.equal(isStopped, true);
    assert.ok(turns > 10, `other work had its turn only ${turns} times`);
  });

  const lineOf = (content: string, reason: string | null = null): string =>
    chunk(content, reason).replace(/^data: |\n$/g, "");
  // Characters that start tags and code are checked one by one: there are more of them than one step processes.
  const long = "`a<b` [\n".repeat(850_000);
  for (const [name, type, body] of [
    ["event", "text/event-stream", `${chunk(long, "stop")}data: [DONE]\n\n`],
    ["JSON document", "application/json", JSON.stringify({ choices: [{ message: { content: long } }] })],
    [
      "list of JSON lines",
      "application/json",
      `${lineOf("x".repeat(99)).repeat(50_000)}${lineOf("", "stop")}`,
    ],
  ] as const) {
    it(`allows a stop between the steps of reading one long ${name}`, async () => {
      respond = (response) => void response.writeHead(200, { "content-type": type }).end(body);
      const limits = { maxLength: 8 * 1024 * 1024 };
      const whole = await read(limits);
      assert.equal(whole.error, undefined);
      const run = start(limits);
      let length = 0;
      await withSlowClock(async () => {
        for await (const event of run.events) {
          if (event.type !== "text") continue;
          if (length === 0) setImmediate(() => run.stop());
          length += event.text.length;
        }
      });
      assert.ok(
        length > 0 && length < whole.text.length / 2,
        `${length} of ${whole.text.length} characters came`,
      );
    });
  }

  it("allows a stop while whitespace before the first event is read in linear time", async () => {
    const page = Buffer.alloc(1024 * 1024, "\n \r\n\t");
    respond = async (response) => {
      response.writeHead(200, head);
      for (let count = 0; count < 30; count++) await new Promise((resolve) => response.write(page, resolve));
      response.end(`${chunk("late", "stop")}data: [DONE]\n\n`);
    };
    assert.equal((await read()).text, "late");
    const run = start();
    setTimeout(() => run.stop(), 20);
    for await (const event of run.events) assert.fail(event.type);
  });
});
