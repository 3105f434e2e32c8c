import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { CompletionEvent, Usage } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { parseUsage } from "../../../src/gateway/completion/completionChunk.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { cuts } from "../../support/cutBytes.ts";
import { startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";
import type { SseCase } from "../../support/sseCases.ts";
import { caseBytes, readSseCases } from "../../support/sseCases.ts";

/** The outcome of a response, in the corpus's terms. */
interface Answer {
  readonly deltas: string[];
  reasoning: string;
  readonly toolCalls: { name: string; arguments: string }[];
  usage: Usage | undefined;
  finishReason: string | null;
  error: ServiceError | undefined;
}

const errorKinds: Readonly<Record<string, readonly string[]>> = {
  api: ["service", "rateLimit", "payment", "unavailable", "badRequest", "apiKey"],
  "malformed-json": ["malformed"],
  truncated: ["truncated"],
  connection: ["truncated", "unreachable"],
  "not-an-event-stream": ["malformed"],
};

async function writePieces(
  response: ServerResponse,
  pieces: readonly Buffer[],
  entry: SseCase,
): Promise<void> {
  response.writeHead(entry.status, { "content-type": entry.contentType });
  for (const piece of pieces) {
    response.write(piece);
    if (pieces.length < 2_000) await setImmediate();
  }
  if (entry.eof === "clean") response.end();
  else if (entry.eof === "abort") response.destroy();
}

async function readResponse(events: AsyncIterable<CompletionEvent>): Promise<Answer> {
  const answer: Answer = {
    deltas: [],
    reasoning: "",
    toolCalls: [],
    usage: undefined,
    finishReason: null,
    error: undefined,
  };
  try {
    for await (const event of events) add(answer, event);
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    answer.error = error;
  }
  return answer;
}

function add(answer: Answer, event: CompletionEvent): void {
  if (event.type === "text") answer.deltas.push(event.text);
  else if (event.type === "reasoning") answer.reasoning += event.text;
  else if (event.type === "usage") answer.usage = event.usage;
  else if (event.type === "finish") answer.finishReason = event.reason;
  else if (event.type === "toolCall") {
    const call = (answer.toolCalls[event.index] ??= { name: "", arguments: "" });
    call.name += event.name ?? "";
    call.arguments += event.arguments;
  }
}

function check(answer: Answer, entry: SseCase, label: string): void {
  const { expectedRefusal } = entry;
  // Its source also accepts the mark with a blank after it, which real servers send.
  const isBlankAfterDone = /^oai-forged-done-(?:space|tab)$/.test(entry.name);
  const expectedError = isBlankAfterDone ? undefined : entry.expectedError;
  if (expectedError) {
    assert.ok(
      errorKinds[expectedError.kind]?.includes(answer.error?.reason ?? ""),
      `${label}: ${answer.error?.reason}`,
    );
    if (expectedError.message !== undefined) {
      assert.ok(answer.error?.message.includes(expectedError.message), `${label}: ${answer.error?.message}`);
    }
    const secret = expectedError.messageMustNotInclude;
    if (secret !== undefined)
      assert.ok(!JSON.stringify([answer.error?.facts, answer.error?.cause]).includes(secret));
  } else {
    assert.equal(answer.error, undefined, `${label}: ${answer.error?.message}`);
    assert.equal(answer.finishReason, entry.expectedFinishReason ?? null, label);
  }
  // A refusal is shown as text: the user has to read it.
  if (expectedRefusal === undefined) assert.deepEqual(answer.deltas, entry.expectedDeltas, label);
  assert.equal(answer.deltas.join(""), expectedRefusal ?? entry.expectedText, label);
  assert.equal(answer.reasoning, entry.expectedReasoning ?? "", label);
  assert.deepEqual(answer.toolCalls, entry.expectedToolCalls ?? [], label);
  if (entry.expectedUsage) assert.deepEqual(answer.usage, parseUsage(entry.expectedUsage), label);
}

describe("Recorded chat streams", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let respond: (response: ServerResponse) => void;

  before(async () => {
    server = await startServer((request, response) => {
      request.resume();
      respond(response);
    });
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  for (const entry of readSseCases("chat")) {
    for (const { name, cut } of cuts) {
      it(`are read correctly: ${entry.name}, ${name}`, async () => {
        respond = (response) => void writePieces(response, cut(caseBytes(entry)), entry);
        const client = createTestClient(server.url, { transport });
        const run = client.complete({ model: "m", messages: [], stream: true }, {});
        check(await readResponse(run.events), entry, name);
      });
    }
  }
});
