import assert from "node:assert/strict";
import { Adaptations } from "../../../src/core/conversation/adaptations.ts";
import type { Adaptation } from "../../../src/core/conversation/adaptations.ts";
import type { CompletionMessage, CompletionRequest } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { createTestClient } from "../../support/createTestClient.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { createTestTransport } from "../../support/testTransport.ts";

const model = { profile: "p", baseUrl: "https://service.example/v1", model: "m" };
const dayMs = 24 * 60 * 60 * 1_000;

/** The state that outlives a window. */
class Memory {
  saved: unknown;
  load = (): unknown => this.saved;
  save = (next: unknown): void => void (this.saved = JSON.parse(JSON.stringify(next)));
}

type Body = Readonly<Record<string, unknown>> & { readonly messages: readonly Record<string, unknown>[] };
/** Why the server rejects the request; undefined if it accepts it. */
type Judge = (body: Body) => readonly [status: number, words: string] | undefined;

describe("What a server rejects", () => {
  const transport = createTestTransport();
  let server: TestServer;
  let judge: Judge;
  let bodies: Body[];
  let adaptations: Adaptations;

  before(async () => {
    server = await startServer(async (request, response) => {
      const body: Body = JSON.parse(await readRequestBody(request));
      bodies.push(body);
      const [status, message] = judge(body) ?? [200, ""];
      if (status !== 200) response.writeHead(status).end(JSON.stringify({ error: { message } }));
      else response.end('{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}');
    });
  });
  beforeEach(() => {
    bodies = [];
    adaptations = new Adaptations(() => 1, new Memory());
  });
  after(async () => {
    await transport.close();
    await server.close();
  });

  async function ask(request: Partial<CompletionRequest> = {}): Promise<readonly unknown[]> {
    const omissions: unknown[] = [];
    const client = createTestClient(server.url, {
      transport,
      profile: "p",
      adaptations,
      retryPolicy: () => ({ maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0, maxServerWaitMs: 0 }),
    });
    const asked = {
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      ...request,
    } as const;
    const onOmitted = (omission: unknown): void => void omissions.push(omission);
    for await (const event of client.complete(asked, { onOmitted }).events) void event;
    return omissions;
  }

  const learned = (): readonly unknown[] =>
    adaptations
      .of({ profile: "p", baseUrl: `${server.url}/v1`, model: "m" })
      .map(({ adaptation, words, at }) => [adaptation, words, at]);

  it("is the tools if a server that can't choose any refuses a choice that nobody has made", async () => {
    judge = ({ tools }) =>
      tools === undefined
        ? undefined
        : [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'];
    const parameters = { tools: [{ type: "function", function: { name: "look" } }] };
    assert.deepEqual(await ask({ parameters }), [{ adaptations: ["field:tools"] }]);
  });

  it("costs one extra request, is left out from then on, and is named each time until it is forgotten", async () => {
    judge = ({ temperature }) =>
      temperature === undefined ? undefined : [400, "Unsupported parameter: temperature"];
    const parameters = { temperature: 1, top_p: 1 };
    const named = [{ adaptations: ["field:temperature"] }];
    assert.deepEqual(await ask({ parameters }), named);
    assert.deepEqual(await ask({ parameters }), named);
    assert.deepEqual(
      bodies.map(({ temperature, top_p }) => [temperature, top_p]),
      [
        [1, 1],
        [undefined, 1],
        [undefined, 1],
      ],
    );
    assert.deepEqual(learned(), [["field:temperature", "Unsupported parameter: temperature", 1]]);
    adaptations.forget({ profile: "p", baseUrl: `${server.url}/v1`, model: "m" }, ["field:temperature"]);
    await ask({ parameters });
    assert.equal(bodies.length, 5, "it is tried again");
  });

  it("renames the limit of tokens if the server asks for it, and so never sends a request without one", async () => {
    judge = ({ max_tokens: limit }) =>
      limit === undefined
        ? undefined
        : [
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          ];
    for (const request of [{ maxTokens: 700 }, { parameters: { max_tokens: 700 } }]) {
      bodies.length = 0;
      assert.deepEqual(await ask(request), []);
      assert.equal(bodies.at(-1)?.["max_completion_tokens"], 700);
    }
    assert.equal(bodies.length, 1, "it is renamed from the start");
  });

  const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgoAAAAN" } as const;
  const earlierImage: readonly CompletionMessage[] = [
    { role: "user", content: [{ type: "text", text: "What is it?" }, image] },
    { role: "assistant", content: "A cat." },
    { role: "user", content: "And now?" },
  ];
  const refuseImages: Judge = ({ messages }) =>
    JSON.stringify(messages).includes("image_url")
      ? [400, "At most 0 image(s) may be provided in one prompt."]
      : undefined;

  it("can be an earlier image, in place of which the model reads a note", async () => {
    judge = refuseImages;
    for (let turn = 0; turn < 3; turn++) {
      const omissions = await ask({ messages: earlierImage });
      assert.deepEqual(omissions, [{ adaptations: ["input:image"] }]);
    }
    assert.equal(bodies.length, 4);
    assert.match(
      JSON.stringify(bodies.at(-1)?.messages),
      /What is it\?.*left out because this model doesn't/,
    );
  });

  it("isn't left out without asking if it is the image that the user has just attached, but remembered", async () => {
    judge = refuseImages;
    const messages: readonly CompletionMessage[] = [{ role: "user", content: [image] }];
    const refusal = (error: unknown): boolean =>
      error instanceof ServiceError && error.reason === "unsupportedInput" && error.facts.input === "image";
    await assert.rejects(ask({ messages }), refusal);
    assert.equal(bodies.length, 1);
    assert.deepEqual(
      learned().map((one) => [one].flat()[0]),
      ["input:image"],
    );
  });

  const handedBack: readonly CompletionMessage[] = [
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: "",
      reasoning: "Hm",
      toolCalls: [{ id: "1", name: "f", arguments: "{}" }],
    },
    { role: "tool", content: "r", toolCallId: "1" },
  ];
  const withReasoning = (name: string): readonly CompletionMessage[] =>
    handedBack.map((message) =>
      message.toolCalls === undefined
        ? message
        : { ...message, providerFields: { baseUrl: `${server.url}/v1`, model: "m", reasoningNames: [name] } },
    );

  for (const [name, status, words] of [
    [
      "reasoning",
      400,
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is unsupported)]",
    ],
    ["reasoning_content", 422, "body.messages.1.assistant.reasoning_content: Extra inputs are not permitted"],
    [
      "reasoning_content",
      400,
      "messages[1]: unknown field `reasoning_content`, expected one of `role`, `content`",
    ],
  ] as const)
    it(`can be the reasoning that is sent back as “${name}” (${status}: ${words.slice(-40)})`, async () => {
      judge = ({ messages }) => (messages.some((message) => name in message) ? [status, words] : undefined);
      await ask({ messages: withReasoning(name) });
      await ask({ messages: withReasoning(name) });
      assert.equal(bodies.length, 3);
      assert.equal(bodies[0]?.messages[1]?.[name], "Hm");
    });

  it("can be streaming itself, stream_options, the order of messages, and several of these at once", async () => {
    judge = ({ stream, stream_options: options, messages }) => {
      if (options !== undefined) return [422, "Unknown field stream_options"];
      if (stream === true) return [400, "Streaming is not supported for this model."];
      const roles = messages.map(({ role }) => role);
      return roles.some((role, index) => role === roles[index + 1])
        ? [400, "Conversation roles must alternate user/assistant/user/assistant/..."]
        : undefined;
    };
    const messages = [
      { role: "user", content: "a" },
      { role: "user", content: "b" },
    ] as const;
    assert.deepEqual(await ask({ messages }), [{ adaptations: ["field:stream"] }]);
    assert.equal(bodies.length, 4);
    await ask({ messages });
    assert.equal(bodies.length, 5);
  });

  it("isn't changed if the server names nothing, names something that wasn't sent, or rejects the rest, too", async () => {
    for (const words of [
      "Bad request",
      "Unsupported parameter: seed",
      "Unsupported parameter: temperature",
    ]) {
      bodies = [];
      judge = () => [400, words];
      await assert.rejects(ask({ parameters: { temperature: 1 } }));
      assert.equal(bodies.length, words.endsWith("temperature") ? 2 : 1);
      assert.deepEqual(learned(), []);
    }
  });

  it("is named if it is the description of a tool, which servers find by its position", async () => {
    const tool = (name: string) => ({ type: "function", function: { name, parameters: {} } });
    const parameters = { tools: [tool("read_file"), tool("list_files")] };
    for (const words of [
      `Unknown name "type" at 'tools[0].function_declarations[1].parameters.properties[0].value': Proto field is not repeating`,
      "Invalid value for 'tools[1].function.parameters': schema must be an object.",
      "tools.1.custom.input_schema: JSON schema is invalid.",
    ]) {
      judge = () => [400, words];
      await assert.rejects(ask({ parameters }), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.match(error.message, /the tool “list_files”/, words);
        return true;
      });
    }
  });
});

describe("What was learned about a model", () => {
  const one = (adaptation: Adaptation) => [{ adaptation, words: "No." }];

  it("is known in other windows and after a restart, for this profile, address and model only", () => {
    const memory = new Memory();
    new Adaptations(() => 1, memory).remember(model, one("order:alternate"));
    new Adaptations(() => 2, memory).remember(model, one("field:seed"));
    const restarted = new Adaptations(() => 3, memory);
    assert.deepEqual(
      restarted.of(model).map(({ adaptation, at }) => [adaptation, at]),
      [
        ["order:alternate", 1],
        ["field:seed", 2],
      ],
    );
    for (const other of [{ profile: "q" }, { baseUrl: "https://moved.example/v1" }, { model: "n" }])
      assert.deepEqual(restarted.of({ ...model, ...other }), []);
  });

  it("is tried again after a week, and isn't believed if it was learned in the future", () => {
    let now = 0;
    const adaptations = new Adaptations(() => now, new Memory());
    adaptations.remember(model, one("input:image"));
    now = 6 * dayMs;
    assert.equal(adaptations.of(model).length, 1);
    for (now of [8 * dayMs, -8 * dayMs]) assert.deepEqual(adaptations.of(model), []);
  });

  it("is kept for the latest 200 models, even if the stored state is invalid", () => {
    const memory = new Memory();
    memory.saved = { a: 1, b: [{ at: "x" }, null], c: [{ adaptation: "field:; drop", at: 0 }] };
    let now = 0;
    const adaptations = new Adaptations(() => ++now, memory);
    for (let index = 0; index < 300; index++)
      adaptations.remember({ ...model, model: `m${index}` }, one("field:n"));
    assert.equal(Object.keys(memory.saved ?? {}).length, 200);
    assert.equal(adaptations.of({ ...model, model: "m299" }).length, 1);
    assert.deepEqual(adaptations.of({ ...model, model: "m0" }), []);
  });
});
