import assert from "node:assert/strict";
import OpenAI from "openai";
import type { ChatCompletionContentPart } from "openai/resources/chat/completions";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { createFaultModels } from "../../support/faultModels.ts";
import { mp3Bytes, pngBytes, wavBytes } from "../../support/localGatewayMedia.ts";

const echo = "demo-lab/echo-omni";
const weather = {
  type: "function",
  function: {
    name: "read_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 7 } },
      required: ["city", "days"],
      additionalProperties: false,
    },
  },
} as const;

describe("The openai package as a client of the local gateway", () => {
  let gateway: RunningLocalGateway;
  let client: OpenAI;

  before(async () => {
    gateway = await startLocalGateway({ port: 0, tokensPerSecond: 0 }, createFaultModels());
    client = createClient(gateway.credentials.apiKey);
  });
  after(() => gateway.stop());

  function createClient(apiKey: string, maxRetries = 0): OpenAI {
    return new OpenAI({ apiKey, baseURL: gateway.inferenceBaseUrl, maxRetries });
  }
  async function ask(
    model: string,
    content: string | ChatCompletionContentPart[],
    more: object = {},
  ): Promise<string> {
    const messages = [{ role: "user", content } as const];
    const completion = await client.chat.completions.create({ model, messages, ...more });
    return completion.choices[0]?.message.content ?? "";
  }
  const isStatus =
    (status: number, code?: string) =>
    (error: unknown): boolean =>
      error instanceof OpenAI.APIError &&
      error.status === status &&
      (code === undefined || error.code === code);

  describe("models", () => {
    it("are nine, three of which support images and one of those also audio", async () => {
      const models: Record<string, unknown>[] = [];
      for await (const model of client.models.list()) models.push({ ...model });
      const modalities = models.map(({ input_modalities }) => String(input_modalities));
      assert.equal(models.length, 9);
      assert.equal(modalities.filter((text) => text.includes("text")).length, 9);
      assert.equal(modalities.filter((text) => text.includes("image")).length, 3);
      assert.deepEqual(
        modalities.filter((text) => text.includes("audio")),
        ["text,image,audio"],
      );
      for (const { id, context_length } of models) {
        assert.match(String(id), /^[\w-]+\/[\w-]+$/);
        assert.ok(Number(context_length) > 0);
      }
    });
  });

  describe("a completion", () => {
    it("can be returned whole", async () => {
      const messages = [{ role: "user", content: "Grüße, 世界 👋" } as const];
      const completion = await client.chat.completions.create({ model: echo, messages });
      assert.equal(completion.choices[0]?.finish_reason, "stop");
      assert.match(completion.choices[0].message.content ?? "", /> Grüße, 世界 👋/);
      const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = completion.usage ?? {};
      assert.ok(prompt_tokens > 0 && completion_tokens > 0);
      assert.equal(total_tokens, prompt_tokens + completion_tokens);
    });
    it("can be streamed with the same text, and usage at the end", async () => {
      // Of a stopped server, nothing changes between the two requests.
      const messages = [{ role: "user", content: "Grüße, batch-07 👋" } as const];
      const request = { model: "demo-lab/server-guide", messages };
      const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
      const streamed = await stream.finalChatCompletion();
      const whole = await client.chat.completions.create(request);
      assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
      assert.deepEqual(streamed.usage, whole.usage);
    });
    it("ends after max_tokens", async () => {
      const messages = [{ role: "user", content: "Hi" } as const];
      const completion = await client.chat.completions.create({ model: echo, messages, max_tokens: 7 });
      assert.equal(completion.choices[0]?.finish_reason, "length");
      assert.equal(completion.usage?.completion_tokens, 7);
    });
    it("has exactly as many tokens as the prompt requests", async () => {
      const stream = client.chat.completions.stream({
        model: "demo-lab/server-guide",
        messages: [{ role: "user", content: "20000 tokens, please" }],
        stream_options: { include_usage: true },
      });
      assert.equal((await stream.totalUsage()).completion_tokens, 20_000);
    });
    it("includes reasoning before the response", async () => {
      const kinds: string[] = [];
      const stream = await client.chat.completions.create({
        model: "demo-lab/slow-thinker",
        messages: [{ role: "user", content: "Why?" }],
        stream: true,
      });
      for await (const { choices } of stream) {
        const delta: Record<string, unknown> = { ...choices[0]?.delta };
        if (typeof delta["reasoning_content"] === "string") kinds.push("reasoning");
        if (typeof delta["content"] === "string" && delta["content"] !== "") kinds.push("text");
      }
      assert.deepEqual([...new Set(kinds)], ["reasoning", "text"]);
      assert.ok(kinds.lastIndexOf("reasoning") < kinds.indexOf("text"));
    });
    it("can be stopped by the client", async () => {
      const stream = await client.chat.completions.create({
        model: echo,
        messages: [{ role: "user", content: "1000000 tokens" }],
        stream: true,
      });
      let count = 0;
      for await (const { id } of stream) {
        assert.match(id, /^chatcmpl-/);
        if (++count === 10) stream.controller.abort();
      }
      assert.equal(count, 10);
    });
  });

  describe("the echo model", () => {
    it("reports the format and size of an image", async () => {
      const url = `data:image/png;base64,${pngBytes(640, 480).toString("base64")}`;
      const answer = await ask(echo, [{ type: "text", text: "What is it?" }, { type: "image_url", image_url: { url } }]); // prettier-ignore
      assert.match(answer, /image: PNG, 640 × 480 pixels, 33 bytes/);
    });
    it("reports that an image has a different type than declared", async () => {
      const url = `data:image/webp;base64,${pngBytes(1, 1).toString("base64")}`;
      assert.match(await ask(echo, [{ type: "image_url", image_url: { url } }]), /PNG, sent as image\/webp/);
    });
    it("reports the format and size of an audio file", async () => {
      const part = (format: "wav" | "mp3", bytes: Buffer): ChatCompletionContentPart => ({
        type: "input_audio",
        input_audio: { format, data: bytes.toString("base64") },
      });
      const answer = await ask(echo, [part("wav", wavBytes(2, 16_000)), part("mp3", mp3Bytes(100))]);
      assert.match(answer, /audio: wav, 64058 bytes/);
      assert.match(answer, /audio: mp3, \d{5} bytes/);
    });
    it("reports an image that can't be read", async () => {
      const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } } as const;
      assert.match(await ask(echo, [image]), /image: can't be read/);
    });
    it("reports parameters and tools", async () => {
      const answer = await ask(echo, "Hi", { temperature: 0.5, seed: 3, tools: [weather] });
      assert.match(answer, /`temperature`: `0\.5`/);
      assert.match(answer, /tools: `read_weather`/);
    });
  });

  describe("tools", () => {
    const model = "demo-lab/tool-caller";
    const question = { role: "user", content: "What is the weather?" } as const;
    it("are called with valid arguments, and their results are used", async () => {
      const stream = client.chat.completions.stream({ model, messages: [question], tools: [weather] });
      const choice = (await stream.finalChatCompletion()).choices[0];
      const call = choice?.message.tool_calls?.[0];
      assert.ok(choice?.finish_reason === "tool_calls" && call?.type === "function");
      assert.equal(call.function.name, "read_weather");
      const { city, days } = JSON.parse(call.function.arguments) as Record<string, unknown>;
      assert.ok(typeof city === "string" && Number.isInteger(days));
      const completion = await client.chat.completions.create({
        model,
        messages: [question, choice.message, { role: "tool", tool_call_id: call.id, content: "Rain." }],
        tools: [weather],
      });
      assert.match(completion.choices[0]?.message.content ?? "", /Rain\./);
    });
    it("are not called if the request forbids it", async () =>
      assert.match(await ask(model, "Hi", { tools: [weather], tool_choice: "none" }), /offers none/));
    it("can't have a result without a call", () =>
      assert.rejects(
        client.chat.completions.create({
          model,
          messages: [question, { role: "tool", tool_call_id: "x", content: "Rain." }],
        }),
        isStatus(400, "invalid_value"),
      ));
  });

  describe("structured output", () => {
    const model = "demo-lab/json-writer";
    it("is a JSON object", async () => {
      const text = await ask(model, "Hi", { response_format: { type: "json_object" } });
      assert.equal((JSON.parse(text) as Record<string, unknown>)["question"], "Hi");
    });
    it("matches a schema", async () => {
      const schema = {
        type: "object",
        properties: { count: { type: "integer", minimum: 3 }, kind: { enum: ["a", "b"] } },
        required: ["count", "kind"],
        additionalProperties: false,
      };
      const format = { type: "json_schema", json_schema: { name: "thing", schema, strict: true } };
      const thing = JSON.parse(await ask(model, "Hi", { response_format: format })) as Record<
        string,
        unknown
      >;
      assert.deepEqual(thing, { count: 3, kind: "a" });
    });
    it("is rejected if no value satisfies the schema", () =>
      assert.rejects(
        ask(model, "Hi", { response_format: { type: "json_schema", json_schema: { name: "x", schema: { not: {} } } } }), // prettier-ignore
        isStatus(400, "unsupported_schema"),
      ));
  });

  describe("errors", () => {
    it("are 401 for a wrong key", () =>
      assert.rejects(createClient("wrong").models.list(), (error) => {
        assert.ok(error instanceof OpenAI.AuthenticationError);
        assert.match(error.requestID ?? "", /^req-/);
        return error.code === "invalid_api_key";
      }));
    it("are 400 for an unknown model", () =>
      assert.rejects(ask("some/other", "Hi"), isStatus(400, "model_not_found")));
    it("are 429 with a wait twice, followed by a successful response", async () => {
      const messages = [{ role: "user", content: "Hi" } as const];
      const request = { model: "demo-faults/rate-limited", messages };
      for (let attempt = 1; attempt <= 2; attempt++) {
        await assert.rejects(client.chat.completions.create(request), (error) => {
          assert.ok(error instanceof OpenAI.RateLimitError);
          assert.equal(error.headers.get("x-ratelimit-remaining-requests"), "0");
          return error.headers.get("retry-after") === "2";
        });
      }
      assert.match(await ask(request.model, "Hi"), /the third one succeeded/);
    });
    it("can occur mid-stream, after some text", async () => {
      let text = "";
      const stream = await client.chat.completions.create({
        model: "demo-faults/error-in-mid-stream",
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
      });
      await assert.rejects(async () => {
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
      }, /fails on purpose/);
      assert.match(text, /begins well/);
    });
    it("are 500 for a failed response that isn't streamed", () =>
      assert.rejects(ask("demo-faults/error-in-mid-stream", "Hi"), isStatus(500, "demo_failure")));
    it("close the connection for a truncated response that isn't streamed", () =>
      assert.rejects(
        ask("demo-faults/truncated-response", "Hi"),
        /terminated|Connection error|Premature close/i,
      ));
    it("can be an idle connection", async () =>
      assert.match(await ask("demo-faults/silent-for-ten-minutes", "0 seconds"), /silence/));

    const png = `data:image/png;base64,${pngBytes(1, 1).toString("base64")}`;
    const wav = wavBytes(1, 8000).toString("base64");
    const image = (url: string): ChatCompletionContentPart => ({ type: "image_url", image_url: { url } });
    const recording = (data: string, format: "wav" | "mp3"): ChatCompletionContentPart => ({
      type: "input_audio",
      input_audio: { data, format },
    });
    const refusals: readonly (readonly [string, string, ChatCompletionContentPart, string])[] = [
      ["a picture for a model that doesn't see", "demo-lab/tool-caller", image(png), "unsupported_content"],
      ["a recording for a model that doesn't hear", "demo-lab/slow-thinker", recording(wav, "wav"), "unsupported_content"], // prettier-ignore
    ];
    for (const [what, model, part, code] of refusals) {
      it(`are 400 for ${what}`, () => assert.rejects(ask(model, [part]), isStatus(400, code)));
    }
  });
});
