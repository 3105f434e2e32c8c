import assert from "node:assert/strict";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { CompletionDecoder } from "../../../src/gateway/completion/completionDecoder.ts";
import {
  createCompletionErrors,
  defaultCompletionLimits,
} from "../../../src/gateway/completion/completionErrors.ts";
import { createEventStreamReader } from "../../../src/gateway/completion/eventStream.ts";
import { cuts } from "../../support/cutBytes.ts";
import { createParser } from "eventsource-parser";
import { createRandom } from "../../support/random.ts";
import { awkward, damage, numbers, pick, randomValue } from "../../support/randomJson.ts";

const errors = createCompletionErrors(
  { statusCode: 200, headers: {}, receivedAt: 0 },
  { kind: "inference", method: "POST", url: new URL("https://service.example/v1") },
);

function read(chunks: readonly Buffer[], withShortcut: boolean): CompletionEvent[] {
  const events: CompletionEvent[] = [];
  const handler = { onEvent: (event: CompletionEvent) => void events.push(event) };
  const decoder = new CompletionDecoder(handler, errors, defaultCompletionLimits);
  const reader = createEventStreamReader(
    withShortcut
      ? decoder
      : {
          onEvent: (data, name) => decoder.onEvent(data, name),
          onUnterminated: (data) => decoder.onUnterminated(data),
          onErrorField: (value) => decoder.onErrorField(value),
          onOverflow: (data) => decoder.onOverflow(data),
        },
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  decoder.flush();
  return events;
}

function chunkText(content: string, created: number): string {
  const chunk = {
    id: "content",
    created,
    model: "organization/model",
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  };
  return JSON.stringify(chunk);
}

describe("The shortcut for reading delta events", () => {
  for (const { name, cut } of cuts) {
    it(`gives the same result as parsing, ${name}`, () => {
      const contents = ["start", ...awkward, ...awkward.toReversed(), ...awkward];
      for (const frame of ["data: ", "data:", "id: 7\ndata: "]) {
        const text = contents.map(
          (content, index) => `${frame}${chunkText(content, Math.floor(index / 20))}\n\n`,
        );
        const chunks = cut(Buffer.from(text.join("")));
        const events = read(chunks, true);
        assert.deepEqual(events, read(chunks, false));
        assert.deepEqual(
          events.map((event) => (event.type === "text" ? event.text : event.type)),
          contents.filter((content) => content !== ""),
        );
      }
    });
  }

  it("parses events that only look similar", () => {
    const good = `data: ${chunkText("a", 1)}\n\n`;
    const reads = (bad: string): unknown => read([Buffer.from(good + good + bad)], true).length;
    for (const more of ["", "b".repeat(1_000)]) {
      assert.throws(() => reads(good.replace('"a"', `"${more}\t"`)), /isn't valid JSON/);
      assert.throws(() => reads(good.replace('"a"', `"${more}\\x"`)), /isn't valid JSON/);
      assert.equal(reads(good.replace('"a"', `"${more}b","content":"c"`)), 3);
    }
  });

  it("doesn't accept a number as a count if JSON doesn't allow it or rounds it", () => {
    const counted = streamOf(9, (index) => ({
      ...deltaOf({ content: "a" }),
      usage: { total_tokens: 10 + index },
    }));
    const last = (number: string): unknown => {
      const events: CompletionEvent[] = [];
      readTo(events, [Buffer.from(counted + counted.slice(-106).replace(/\d+(?=\}\}\n)/, number))]);
      return events.at(-1);
    };
    assert.throws(() => last("07"), /isn't valid JSON/);
    assert.throws(() => last(""), /isn't valid JSON/);
    for (const number of ["0", "7", "12345678901234567", "1e3"])
      assert.deepEqual(last(number), { type: "usage", usage: { totalTokens: Number(number) } });
  });

  it("gives the same result as parsing for random events, whatever differs between them, is broken, or occurs twice", () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = createRandom(seed);
      const text = randomStream(random);
      const chunks = cutAtRandom(Buffer.from(text), random);
      assert.deepEqual(
        outcomeOf((events) => readTo(events, chunks)),
        outcomeOf((events) => parseTo(events, text)),
        `seed ${seed}`,
      );
    }
  });

  it("reads the non-text parts of a response as often as they arrive", () => {
    const events = streamOf(40, (index) => ({
      choices: [
        {
          index: 0,
          delta: index % 4 === 3 ? { content: [{ type: "thinking", thinking: "x" }] } : { content: "a" },
        },
      ],
    }));
    assert.deepEqual(
      outcomeOf((list) => readTo(list, [Buffer.from(events)])),
      outcomeOf((list) => parseTo(list, events)),
    );
  });

  const streams: Readonly<Record<string, (index: number) => object>> = {
    "counts in every chunk": (index) => ({
      ...deltaOf({ content: `a${index}` }),
      usage: {
        prompt_tokens: 3,
        completion_tokens: index,
        prompt_tokens_details: { cached_tokens: index % 3 },
      },
    }),
    "padding in every chunk": (index) => ({
      ...deltaOf({ content: "a" }),
      obfuscation: "x".repeat(index % 7),
    }),
    "other IDs and times": (index) => ({ id: `i${index}`, created: index, ...deltaOf({ content: "a" }) }),
    "arguments of a tool call": (index) =>
      deltaOf({ tool_calls: [{ index: index % 2, function: { arguments: `{"${index}` } }] }),
    "log probabilities": (index) => ({
      choices: [
        {
          index: 0,
          delta: { content: "a" },
          logprobs: index % 5 === 0 ? null : { content: [token(index)] },
        },
      ],
    }),
    "log probabilities of several tokens": (index) => ({
      choices: [
        { index: 0, delta: { content: "a" }, logprobs: { content: [token(index), token(index + 1)] } },
      ],
    }),
    "text and reasoning in turn": (index) =>
      deltaOf(index % 2 === 0 ? { content: "a" } : { content: null, reasoning_content: "b" }),
  };
  for (const [kind, create] of Object.entries(streams)) {
    for (const lineEnd of ["\n", "\r\n"]) {
      it(`parses only a few events of a stream with ${kind} and ${lineEnd === "\n" ? "LF" : "CRLF"}`, () => {
        const text = streamOf(400, create).replaceAll("\n", lineEnd);
        const { parse } = JSON;
        let parsed = 0;
        const events: CompletionEvent[] = [];
        JSON.parse = (json: string, reviver?: (key: string, value: unknown) => unknown): unknown => {
          if (json.startsWith("{")) parsed += 1;
          return parse(json, reviver);
        };
        try {
          readTo(events, [Buffer.from(text)]);
        } finally {
          JSON.parse = parse;
        }
        assert.ok(events.length >= 400);
        assert.ok(parsed < 40, `${parsed} chunks were parsed`);
        assert.deepEqual(events, outcomeOf((list) => parseTo(list, text)).events);
      });
    }
  }
});

function token(index: number): object {
  return { token: `t${index}`, logprob: -index / 7, bytes: Array(index % 4).fill(index) };
}

function deltaOf(delta: object): object {
  return { choices: [{ index: 0, delta, finish_reason: null }] };
}

function streamOf(count: number, create: (index: number) => object): string {
  return Array.from({ length: count }, (_, index) => `data: ${JSON.stringify(create(index))}\n\n`).join("");
}

function newDecoder(events: CompletionEvent[]): CompletionDecoder {
  return new CompletionDecoder(
    { onEvent: (event) => void events.push(event) },
    errors,
    defaultCompletionLimits,
  );
}

function readTo(events: CompletionEvent[], chunks: readonly Buffer[]): void {
  const decoder = newDecoder(events);
  const reader = createEventStreamReader(decoder);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  decoder.flush();
}

/** Every event by eventsource-parser and JSON.parse. */
function parseTo(events: CompletionEvent[], text: string): void {
  const decoder = newDecoder(events);
  const parser = createParser({ onEvent: ({ data, event }) => decoder.onEvent(data, event) });
  parser.feed(text);
  decoder.flush();
}

function cutAtRandom(bytes: Buffer, random: () => number): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = start + 1 + Math.floor(random() * 400);
    chunks.push(bytes.subarray(start, end));
  }
  return chunks;
}

function outcomeOf(run: (events: CompletionEvent[]) => void): { events: CompletionEvent[]; error: string } {
  const events: CompletionEvent[] = [];
  try {
    run(events);
  } catch (error) {
    return { events, error: String(error) };
  }
  return { events, error: "" };
}

/** Mostly the same events one after the other, in which a few things differ. */
function randomStream(random: () => number): string {
  const flags = Array.from({ length: 12 }, () => random() < 0.35);
  const [
    isSpaced,
    hasUsage,
    hasPadding,
    hasIds,
    hasLogprobs,
    hasCalls,
    isReasoning,
    isNamed,
    isCrlf,
    isOdd,
    hasTwice,
    isLined,
  ] = flags;
  const event = (): string => {
    const isRare = random() < 0.1;
    const text = pick(random, awkward);
    const delta = {
      ...(hasCalls === true
        ? { content: null, tool_calls: [{ index: isRare ? 1 : 0, function: { arguments: text } }] }
        : isReasoning !== isRare
          ? { reasoning_content: text, ...(isOdd ? { reasoning: text } : {}) }
          : { content: text }),
      ...(isOdd && isRare
        ? pick(random, [{ refusal: "no" }, { reasoning_details: [{ text }] }, { role: "assistant" }])
        : {}),
    };
    const chunk = {
      ...(hasIds ? { id: pick(random, awkward), created: pick(random, numbers) } : { id: "content" }),
      ...(hasUsage
        ? {
            usage: {
              prompt_tokens: 3,
              completion_tokens: isRare ? pick(random, [...numbers, null, "3"]) : Math.floor(random() * 1000),
              input_tokens: Math.floor(random() * 9),
            },
          }
        : {}),
      choices: [
        {
          index: 0,
          delta,
          ...(hasLogprobs ? { logprobs: randomValue(random, 3) } : {}),
          finish_reason: isOdd && isRare ? pick(random, ["stop", "null", ""]) : null,
        },
      ],
      ...(hasPadding ? { obfuscation: pick(random, awkward) } : {}),
    };
    const whole = JSON.stringify(chunk, undefined, isSpaced ? 1 : 0).replaceAll(
      "\n",
      isLined ? "\ndata: " : " ",
    );
    const doubled =
      hasTwice && isRare ? whole.replace('"index"', '"delta":{"content":"twice"},"index"') : whole;
    const json = random() < 0.004 ? damage(random, doubled) : doubled;
    const end = isCrlf && !isRare ? "\r\n" : "\n";
    const name = isNamed
      ? pick(random, ["event: message", "event:message", "id: 3", ": a\rdata: b", ": comment", "x", ":\n"]) +
        end
      : "";
    return `${name}data:${isRare ? "" : " "}${json}${end}${end}`;
  };
  return Array.from({ length: 60 }, event).join("");
}
