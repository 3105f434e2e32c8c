import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { CompletionEvent } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { readCompletion } from "../../../src/gateway/completion/completionReader.ts";
import { cuts } from "../../support/cutBytes.ts";

/** The events of a body, and how it failed. */
interface Reading {
  readonly events: CompletionEvent[];
  readonly error: ServiceError | undefined;
}

/** Reads a body split in every possible way, checks that all results agree, and returns that result. */
export async function readBody(body: string | Buffer, contentType = "text/event-stream"): Promise<Reading> {
  const bytes = Buffer.from(body);
  const readings = await Promise.all(cuts.map(({ cut }) => readPieces(cut(bytes), contentType)));
  const [first, ...others] = readings;
  assert.ok(first !== undefined);
  for (const other of others) {
    assert.deepEqual(joined(other.events), joined(first.events));
    assert.deepEqual(other.error?.facts, first.error?.facts);
  }
  return first;
}

function readPieces(pieces: readonly Buffer[], contentType: string): Promise<Reading> {
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
export function joined(events: readonly CompletionEvent[]): CompletionEvent[] {
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
export function contentOf(events: readonly CompletionEvent[]): { text: string; reasoning: string } {
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

/** The chunks as server-sent events. */
export function stream(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
}

/** A chunk with this delta. */
export function delta(fields: Readonly<Record<string, unknown>>): unknown {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }] };
}

/** The chunk that ends a response. */
export const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
export const done = "data: [DONE]\n\n";
export const finish: CompletionEvent = { type: "finish", reason: "stop" };

/** The event for this text. */
export function text(value: string): CompletionEvent {
  return { type: "text", text: value };
}

/** The event for this reasoning. */
export function reasoning(value: string): CompletionEvent {
  return { type: "reasoning", text: value };
}

/** Fails unless the body consists of these events, and nothing fails. */
export async function expectEvents(body: string, ...events: readonly CompletionEvent[]): Promise<void> {
  const reading = await readBody(body);
  assert.equal(reading.error?.message, undefined);
  assert.deepEqual(joined(reading.events), events);
}
