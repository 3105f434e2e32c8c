import assert from "node:assert/strict";
import type { CompletionRequest } from "../../../../src/core/conversation/completion.ts";
import { fittingCompletions } from "../../../../src/core/compose/meter/fittingCompletions.ts";
import { omissionMessage } from "../../../../src/core/compose/meter/conversationMeter.ts";
import type { Omission } from "../../../../src/core/conversation/tooLong.ts";

const messages = [
  { role: "user", content: "x".repeat(40) },
  { role: "assistant", content: "x".repeat(40) },
  { role: "user", content: "now" },
] as const;

function send(request: Partial<CompletionRequest>, contextLength: number | undefined) {
  const sent: CompletionRequest[] = [];
  const omitted: Partial<Omission>[] = [];
  const port = fittingCompletions(
    {
      complete(given) {
        sent.push(given);
        return { events: (async function* () {})(), stop: () => undefined };
      },
    },
    {
      contextLength: () => contextLength,
      supports: (model) => (model === "blind" ? false : undefined),
      lacksTools: (model) => model === "no tools",
      policy: () => "oldest",
      count: (text) => text.length,
      factor: () => 1,
    },
  );
  port.complete(
    { model: "m", messages, stream: true, ...request },
    { onOmitted: (one) => omitted.push(one) },
  );
  return {
    roles: sent[0]?.messages.map(({ role }) => role),
    messages: sent[0]?.messages,
    parameters: sent[0]?.parameters,
    omitted,
  };
}

describe("Requests that fit", () => {
  it("are sent whole if they fit, or if the model's context window is unknown", () => {
    assert.deepEqual(send({}, 200).roles, ["user", "assistant", "user"]);
    assert.deepEqual(send({}, 200).omitted, []);
    assert.deepEqual(send({}, undefined).omitted, []);
  });

  it("leave room for the response and for the offered tools", () => {
    const tools = [{ type: "function", function: { name: "add", description: "y".repeat(100) } }];
    assert.deepEqual(send({ parameters: { max_tokens: 120 } }, 200).roles, ["user"]);
    assert.deepEqual(send({ parameters: { tools } }, 200).roles, ["user"]);
    assert.equal(send({ parameters: { tools } }, 200).omitted[0]?.turns, 1);
  });

  it("leave out tools if the model is known not to support them, and nothing else", () => {
    const parameters = {
      tools: [{ type: "function" }],
      tool_choice: "auto",
      response_format: { type: "json_schema", json_schema: {} },
      top_p: 1,
    };
    const { response_format } = parameters;
    const withoutTools = { response_format, top_p: 1 };
    for (const [model, sent, omitted] of [
      ["m", parameters, []],
      ["no tools", withoutTools, [{ tools: true }]],
    ] as const) {
      const result = send({ model, parameters }, undefined);
      assert.deepEqual([result.parameters, result.omitted], [sent, omitted]);
    }
    assert.deepEqual(send({ model: "no tools", parameters: { top_p: 1 } }, undefined).omitted, []);
    assert.equal(
      omissionMessage({ turns: 0, files: 0, tokens: 0, tools: true }),
      "The tools weren't sent because this model doesn't support them.",
    );
  });

  it("leave room for the schema of the response", () => {
    const schema = { type: "json_schema", json_schema: { name: "a", schema: { title: "y".repeat(100) } } };
    assert.deepEqual(send({ parameters: { response_format: schema } }, 200).roles, ["user"]);
  });

  it("are shortened after a rejection, to the server's limit or by half, and the limit is remembered", () => {
    const rejected = { limit: 50, requested: 100 };
    assert.deepEqual(send({ shorten: rejected }, undefined).roles, ["user"]);
    assert.equal(send({ shorten: rejected }, undefined).omitted[0]?.turns, 1);
    assert.deepEqual(send({ shorten: {} }, undefined).roles, ["user"]);
    assert.deepEqual(send({ shorten: { limit: 1_000, requested: 1_010 } }, undefined).roles, ["user"]);
    assert.deepEqual(send({ shorten: { limit: 60 } }, 1_000).roles, ["user"]);
  });

  it("send images from tools after the results unless the model is known not to support images", () => {
    const picture = { type: "image", mediaType: "image/png", data: "iVBORw0KGgoAAAAN" } as const;
    const result = (id: string) =>
      ({ role: "tool", toolCallId: id, content: [{ type: "text", text: "seen" }, picture] }) as const;
    const calls = ["1", "2"].map((id) => ({ id, name: "look", arguments: "{}" }));
    const talk = [
      { role: "user", content: "now" },
      { role: "assistant", content: "", toolCalls: calls },
      result("1"),
      result("2"),
    ] as const;
    const seen = send({ model: "seeing", messages: talk }, undefined);
    assert.deepEqual(seen.roles, ["user", "assistant", "tool", "tool", "user"]);
    assert.deepEqual(seen.messages?.[2]?.content, "seen");
    assert.deepEqual(seen.messages?.[4]?.content.slice(1), [picture, picture]);
    assert.deepEqual(seen.omitted, []);
    const unseen = send({ model: "blind", messages: talk }, undefined);
    assert.deepEqual(unseen.roles, ["user", "assistant", "tool", "tool"]);
    assert.match(String(unseen.messages?.[2]?.content), /^seen\n\(The image was left out/);
    assert.deepEqual(unseen.omitted, [{ turns: 0, files: 0, tokens: 0, inputs: ["image"] }]);
  });
});
