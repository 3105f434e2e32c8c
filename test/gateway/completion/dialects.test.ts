import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { readCompletion } from "../../../src/gateway/completion/completionReader.ts";
import { cuts } from "../../support/cutBytes.ts";

interface Answer {
  readonly events: CompletionEvent[];
  readonly error: ServiceError | undefined;
}

/** Reads a body split in every possible way, checks that all results agree, and returns that result. */
async function readBody(body: string | Buffer, contentType = "text/event-stream"): Promise<Answer> {
  const bytes = Buffer.from(body);
  const answers = await Promise.all(cuts.map(({ cut }) => readPieces(cut(bytes), contentType)));
  const [first, ...others] = answers;
  assert.ok(first !== undefined);
  for (const other of others) {
    assert.deepEqual(joined(other.events), joined(first.events));
    assert.deepEqual(other.error?.facts, first.error?.facts);
  }
  return first;
}

function readPieces(pieces: readonly Buffer[], contentType: string): Promise<Answer> {
  return new Promise((resolve) => {
    const events: CompletionEvent[] = [];
    const response = {
      statusCode: 200,
      headers: { "content-type": contentType, "x-request-id": "req-7" },
      body: Readable.from(pieces, { objectMode: false }),
      sentAt: 0,
      receivedAt: 0,
    };
    const url = new URL("https://service.example/v1/chat/completions");
    readCompletion(
      response,
      { kind: "inference", method: "POST", url },
      {
        get hasBegun() {
          return events.length > 0;
        },
        onBytes: () => undefined,
        onEvent: (event) => events.push(event),
        onEnd: () => resolve({ events, error: undefined }),
        onError(error) {
          assert.ok(error instanceof ServiceError);
          resolve({ events, error });
        },
      },
    );
  });
}

/** Joins adjacent pieces of reasoning: if a tag is split, its text arrives in different portions. */
function joined(events: readonly CompletionEvent[]): CompletionEvent[] {
  const result: CompletionEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (event.type === "reasoning" && last?.type === "reasoning") {
      result[result.length - 1] = { type: "reasoning", text: last.text + event.text };
    } else result.push(event);
  }
  return result;
}

/** The final content after reading the events. */
function contentOf(events: readonly CompletionEvent[]): { text: string; reasoning: string } {
  let [text, reasoning] = ["", ""];
  for (const event of events) {
    if (event.type === "text") text += event.text;
    else if (event.type === "reasoning") reasoning += event.text;
    else if (event.type === "reasoningEnd") {
      reasoning += text.slice(0, text.length - event.dropped);
      text = "";
    }
  }
  return { text, reasoning };
}

function stream(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}

function delta(fields: Readonly<Record<string, unknown>>): unknown {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }] };
}

const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const done = "data: [DONE]\n\n";
const finish: CompletionEvent = { type: "finish", reason: "stop" };

function text(value: string): CompletionEvent {
  return { type: "text", text: value };
}

function reasoning(value: string): CompletionEvent {
  return { type: "reasoning", text: value };
}

async function expectEvents(body: string, ...events: readonly CompletionEvent[]): Promise<void> {
  const answer = await readBody(body);
  assert.equal(answer.error?.message, undefined);
  assert.deepEqual(joined(answer.events), events);
}

describe("Dialects of chat streams", () => {
  it("skip chunks without content, choices or meaning", () =>
    expectEvents(
      `: ping\n\n${stream({}, { choices: [] }, delta({}), delta({ content: null }), delta({ content: "a" }), stop)}${done}`,
      text("a"),
      finish,
    ));

  for (const name of ["reasoning_content", "reasoning", "thinking"]) {
    it(`contain reasoning under ${name}`, () =>
      expectEvents(
        stream(delta({ [name]: "hm", content: "" }), delta({ content: "a" }), stop) + done,
        reasoning("hm"),
        text("a"),
        finish,
      ));
  }

  it("yield reasoning once if it is under two names", () =>
    expectEvents(
      stream(delta({ reasoning: "hm", reasoning_content: "hm" }), stop) + done,
      reasoning("hm"),
      finish,
    ));

  it("separate a think block at the start from the content, whole or split across deltas", async () => {
    const events = [reasoning("why"), text("\n\nso"), finish];
    await expectEvents(stream(delta({ content: "\n<think>why</think>\n\nso" }), stop), ...events);
    const deltas = ["\n", "<th", "ink>", "w", "hy</", "thi", "nk>", "\n\nso"];
    await expectEvents(stream(...deltas.map((content) => delta({ content })), stop), ...events);
  });

  it("keep the text of a think block that never closes", () =>
    expectEvents(stream(delta({ content: "<think>a </thin" }), stop), reasoning("a </thin"), finish));

  for (const [open, close] of [
    ["<thinking>", "</thinking>"],
    ["<thought>", "</thought>"],
    ["[THINK]", "[/THINK]"],
    ["◁think▷", "◁/think▷"],
  ] as const) {
    it(`separate ${open} at the start from the content, however it is split`, async () => {
      const events = [reasoning("why"), text("so"), finish];
      await expectEvents(stream(delta({ content: `${open}why${close}so` }), stop), ...events);
      const characters = [...`\n${open}why${close}so`].map((content) => delta({ content }));
      const answer = await readBody(stream(...characters, stop));
      assert.deepEqual(contentOf(answer.events), { text: "so", reasoning: "why" });
    });
  }

  for (const content of [
    "I think.\n</think>\n\nSo.",
    "I think.</think>\nSo.",
    "I think.</think>So.",
    "\nI `code` think ```js\nx\n``` so.\n</thinking>So.",
    "</think>So.",
  ]) {
    it(`treat the text before an unopened closing tag as reasoning: ${JSON.stringify(content)}`, async () => {
      const end = /<\/think(?:ing)?>/.exec(content);
      assert.ok(end !== null);
      const expected = {
        reasoning: content.slice(0, end.index),
        text: content.slice(end.index + end[0].length),
      };
      for (let size = 1; size <= content.length; size++) {
        const pieces = Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
          delta({ content: content.slice(index * size, (index + 1) * size) }),
        );
        const { events } = await readBody(stream(...pieces, stop));
        assert.deepEqual(contentOf(events), expected, `in pieces of ${size}`);
      }
    });
  }

  for (const content of [
    "Close it with </think> at the end.",
    "Write `</think>` there.",
    "```html\n<b>\n</think>\n```\nSo.",
    "First <think>, then\n</think>\nfollows.",
    "The tag </thinker>\n is none.",
  ]) {
    it(`keep a closing tag that is part of the text: ${JSON.stringify(content)}`, async () => {
      for (const size of [1, 2, 3, 5, 8, 13, content.length]) {
        const pieces = Array.from({ length: Math.ceil(content.length / size) }, (_, index) =>
          delta({ content: content.slice(index * size, (index + 1) * size) }),
        );
        const { events } = await readBody(stream(...pieces, stop));
        assert.deepEqual(contentOf(events), { text: content, reasoning: "" }, `in pieces of ${size}`);
      }
    });
  }

  it("keep a tag that is not at the start", () =>
    expectEvents(
      stream(delta({ content: "Use <think>x</think>" }), stop),
      text("Use <think>x</think>"),
      finish,
    ));

  it("keep a tag if the server separates the reasoning itself", () =>
    expectEvents(
      stream(delta({ reasoning_content: "hm" }), delta({ content: "<think>" }), stop),
      reasoning("hm"),
      text("<think>"),
      finish,
    ));

  it("keep text that looked like the beginning of a tag", () =>
    expectEvents(
      stream(delta({ content: " " }), delta({ content: "<th" }), stop),
      text(" "),
      text("<th"),
      finish,
    ));

  it("join a surrogate pair that is split across two deltas", () =>
    expectEvents(
      `data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\ndata: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n${stream(stop)}`,
      text("a"),
      text("😀b"),
      finish,
    ));

  it("may have content in parts, a message instead of a delta, or plain completions", async () => {
    const parts = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "a" },
    ];
    await expectEvents(stream(delta({ content: parts }), stop), reasoning("hm"), text("a"), finish);
    await expectEvents(stream({ choices: [{ message: { content: "a" } }] }, stop), text("a"), finish);
    await expectEvents(stream({ choices: [{ text: "a" }] }, stop), text("a"), finish);
  });

  it("yield only the choice with index 0", () =>
    expectEvents(
      stream(
        { choices: [{ index: 1, delta: { content: "no" } }] },
        {
          choices: [
            { index: 1, delta: { content: "no" } },
            { index: 0, delta: { content: "a" } },
          ],
        },
        stop,
      ),
      text("a"),
      finish,
    ));

  it("may contain usage in various formats", async () => {
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 7,
      total_tokens: 12,
      reasoning_tokens: 3,
      prompt_tokens_details: { cached_tokens: 2 },
    };
    const expected: CompletionEvent = {
      type: "usage",
      usage: { promptTokens: 5, completionTokens: 7, totalTokens: 12, cachedTokens: 2, reasoningTokens: 3 },
    };
    await expectEvents(stream(stop, { choices: [], usage }) + done, expected, finish);
    await expectEvents(
      stream(stop, { choices: [], usage: null, x_groq: { usage } }) + done,
      expected,
      finish,
    );
  });

  it("may have tool calls without an index", () =>
    expectEvents(
      stream(
        delta({ tool_calls: [{ id: "1", function: { name: "f", arguments: { a: 1 } } }] }),
        delta({ tool_calls: [{ id: "2", function: { name: "g", arguments: '{"b"' } }] }),
        delta({ tool_calls: [{ function: { arguments: ":2}" } }] }),
        stop,
      ),
      { type: "toolCall", index: 0, id: "1", name: "f", arguments: '{"a":1}' },
      { type: "toolCall", index: 1, id: "2", name: "g", arguments: '{"b"' },
      { type: "toolCall", index: 1, arguments: ":2}" },
      finish,
    ));

  it("may give different tool calls the same index", () =>
    expectEvents(
      stream(
        delta({ tool_calls: [{ index: 0, id: "1", function: { name: "f", arguments: "{}" } }] }),
        delta({ tool_calls: [{ index: 0, id: "2", function: { name: "g", arguments: "{}" } }] }),
        stop,
      ),
      { type: "toolCall", index: 0, id: "1", name: "f", arguments: "{}" },
      { type: "toolCall", index: 1, id: "2", name: "g", arguments: "{}" },
      finish,
    ));

  it("may use the older function_call", () =>
    expectEvents(
      stream(delta({ function_call: { name: "f", arguments: "{}" } }), stop),
      { type: "toolCall", index: 0, name: "f", arguments: "{}" },
      finish,
    ));

  it("may respond to a streaming request with a single JSON response", async () => {
    const answer = await readBody(
      JSON.stringify({
        choices: [{ message: { content: "a", reasoning_content: "hm" }, finish_reason: "length" }],
      }),
      "application/json",
    );
    assert.deepEqual(answer.events, [reasoning("hm"), text("a"), { type: "finish", reason: "length" }]);
  });

  it("may send events without a content type, or JSON lines", async () => {
    const events = [text("a"), finish];
    assert.deepEqual((await readBody(stream(delta({ content: "a" }), stop), "")).events, events);
    const lines = [delta({ content: "a" }), stop].map((line) => `${JSON.stringify(line)}\n`).join("");
    assert.deepEqual((await readBody(lines, "application/x-ndjson")).events, events);
  });

  it("may end with a complete but unterminated event", async () => {
    await expectEvents(`${stream(delta({ content: "a" }))}data: [DONE]`, text("a"), {
      type: "finish",
      reason: null,
    });
    const answer = await readBody(
      stream(delta({ content: "a" })) + 'data: {"choices":[{"delta":{"content":"b',
    );
    assert.deepEqual(answer.events, [text("a")]);
    assert.equal(answer.error?.reason, "truncated");
  });

  it("may contain broken data after the finish reason", () =>
    expectEvents(`${stream(delta({ content: "a" }), stop)}data: {oops\n\n`, text("a"), finish));
});

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
