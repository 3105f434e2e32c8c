import assert from "node:assert/strict";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { CompletionDecoder } from "../../../src/gateway/completion/completionDecoder.ts";
import { createCompletionErrors } from "../../../src/gateway/completion/completionErrors.ts";
import { createEventStreamReader } from "../../../src/gateway/completion/eventStream.ts";
import { defaultCompletionLimits } from "../../../src/gateway/completion/completionLimits.ts";
import { cuts } from "../../support/cutBytes.ts";

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

/** Strings that are difficult in JSON, in UTF-16 and when split across chunks. */
const awkward = [
  "a",
  " token",
  '"',
  "\\",
  '\\"',
  "\n\n",
  "\u2028",
  "é😀",
  '"},"finish_reason":null}]}',
  "data: x",
  "\\u0041",
  "",
  "content",
  "~delta~",
  "organization/model",
];

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
    assert.throws(() => reads(good.replace('"a"', '"\t"')), /isn't valid JSON/);
    assert.throws(() => reads(good.replace('"a"', '"\\x"')), /isn't valid JSON/);
    assert.equal(reads(good.replace('"a"', '"b","content":"c"')), 3);
  });
});
