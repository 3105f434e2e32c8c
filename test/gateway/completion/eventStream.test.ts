import assert from "node:assert/strict";
import { createEventStreamReader } from "../../../src/gateway/completion/eventStream.ts";
import { cuts } from "../../support/cutBytes.ts";
import { caseBytes, readSseCases } from "../../support/sseCases.ts";

interface Read {
  readonly events: { event: string | null; data: string }[];
  readonly errors: string[];
  readonly unterminated: string[];
  isOverflown: boolean;
}

function readAll(chunks: readonly Uint8Array[], maxLength?: number): Read {
  const read: Read = { events: [], errors: [], unterminated: [], isOverflown: false };
  const reader = createEventStreamReader(
    {
      onEvent: (data, event) => read.events.push({ event: event ?? null, data }),
      onOtherLine: (line) => read.errors.push(line),
      onUnterminated: (data) => read.unterminated.push(data),
      onOverflow: () => (read.isOverflown = true),
    },
    maxLength,
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return read;
}

describe("Reading server-sent events", () => {
  for (const entry of readSseCases("sse")) {
    it(`gives the same result for ${entry.name} however it is cut`, () => {
      const bytes = caseBytes(entry);
      for (const { name, cut } of cuts)
        assert.deepEqual(readAll(cut(bytes)).events, entry.expectedEvents, name);
      const given = entry.chunksBase64?.map((chunk) => Buffer.from(chunk, "base64"));
      if (given !== undefined) assert.deepEqual(readAll(given).events, entry.expectedEvents, "as given");
    });
  }

  for (const { name, cut } of cuts) {
    it(`reports a line that isn't a field, ${name}`, () => {
      for (const line of ["error: the model is gone", '{"error":{"message":"gone"}}', "Bad Gateway"])
        assert.deepEqual(readAll(cut(Buffer.from(`data: a\n\n${line}\n`))).errors, [line]);
    });

    it(`separates events with only one line end between them, ${name}`, () => {
      for (const end of ["\n", "\r\n"]) {
        const read = readAll(
          cut(Buffer.from(`data: {"a":1}${end}data: {"b":2}${end}data: [DONE]${end}${end}`)),
        );
        assert.deepEqual(
          read.events.map(({ data }) => data),
          ['{"a":1}', '{"b":2}', "[DONE]"],
        );
      }
    });

    it(`keeps an unterminated last event separate, ${name}`, () => {
      const read = readAll(cut(Buffer.from("data: a\n\ndata: [DONE]")));
      assert.deepEqual(read.events, [{ event: null, data: "a" }]);
      assert.deepEqual(read.unterminated, ["[DONE]"]);
    });

    it(`replaces invalid bytes consistently, ${name}`, () => {
      const bytes = Buffer.concat([
        Buffer.from("data: a"),
        Buffer.from([0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98, 0xc3]),
        Buffer.from("\n\n"),
      ]);
      const data = "a" + Buffer.from([0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98, 0xc3]).toString("utf8");
      assert.deepEqual(readAll(cut(bytes)).events, [{ event: null, data }]);
    });
  }

  it("gives up on an event that exceeds the maximum length, in one line or several", () => {
    assert.equal(readAll([Buffer.from(`data: ${"x".repeat(200)}`)], 100).isOverflown, true);
    assert.equal(readAll([Buffer.from("data: 0123456789\n".repeat(20))], 100).isOverflown, true);
    assert.equal(readAll([Buffer.from("data: 0123456789\n\n".repeat(20))], 100).isOverflown, false);
  });
});
