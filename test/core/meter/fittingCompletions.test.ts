import assert from "node:assert/strict";
import type { CompletionRequest } from "../../../src/core/completion.ts";
import { fittingCompletions } from "../../../src/core/meter/fittingCompletions.ts";
import type { Omission } from "../../../src/core/tooLong.ts";

const messages = [
  { role: "user", content: "x".repeat(40) },
  { role: "assistant", content: "x".repeat(40) },
  { role: "user", content: "now" },
] as const;

function send(request: Partial<CompletionRequest>, contextLength: number | undefined) {
  const sent: CompletionRequest[] = [];
  const omitted: Omission[] = [];
  const port = fittingCompletions(
    {
      complete(given) {
        sent.push(given);
        return { events: (async function* () {})(), stop: () => undefined, retryNow: () => undefined };
      },
    },
    {
      contextLength: () => contextLength,
      policy: () => "oldest",
      count: (text) => text.length,
      factor: () => 1,
    },
  );
  port.complete(
    { model: "m", messages, stream: true, ...request },
    { onOmitted: (one) => omitted.push(one) },
  );
  return { roles: sent[0]?.messages.map(({ role }) => role), omitted };
}

describe("Requests that fit", () => {
  it("are sent whole where they fit, and where nobody knows the model's context", () => {
    assert.deepEqual(send({}, 200), { roles: ["user", "assistant", "user"], omitted: [] });
    assert.deepEqual(send({}, undefined).omitted, []);
  });

  it("leave room for the answer and for the tools that are offered", () => {
    const tools = [{ type: "function", function: { name: "add", description: "y".repeat(100) } }];
    assert.deepEqual(send({ parameters: { max_tokens: 120 } }, 200).roles, ["user"]);
    assert.deepEqual(send({ parameters: { tools } }, 200).roles, ["user"]);
    assert.equal(send({ parameters: { tools } }, 200).omitted[0]?.turns, 1);
  });
});
