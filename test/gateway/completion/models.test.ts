import assert from "node:assert/strict";
import { parseModels } from "../../../src/gateway/completion/models.ts";

describe("Model lists", () => {
  it("are read from every envelope format", () => {
    const expected = [{ id: "o/m" }];
    for (const list of [
      { object: "list", data: [{ id: "o/m", object: "model" }] },
      [{ id: "o/m" }],
      { models: [{ id: "o/m" }] },
      { data: { models: ["o/m"] } },
      ["o/m", "o/m"],
    ]) {
      assert.deepEqual(parseModels(list), expected);
    }
  });

  it("are undefined for other data, and empty without valid models", () => {
    assert.equal(parseModels({ message: "no" }), undefined);
    assert.equal(parseModels("no"), undefined);
    assert.deepEqual(parseModels({ data: [] }), []);
    assert.deepEqual(parseModels({ data: [null, 7, {}, { id: "" }] }), []);
  });

  it("contain names, context lengths and input modalities if available", () => {
    const models = parseModels({
      data: [
        { id: "o/a", name: "A", context_length: 8192, architecture: { input_modalities: ["text", "image"] } },
        { id: "o/b", max_model_len: "4096", capabilities: { vision: true, audio: true } },
        { id: "o/c", meta: { n_ctx_train: 2048 }, modality: "text->text" },
        { id: "o/d", context_length: null, supports_vision: false },
      ],
    });
    assert.deepEqual(models, [
      { id: "o/a", name: "A", contextLength: 8192, supportsImages: true, supportsAudio: false },
      { id: "o/b", contextLength: 4096, supportsImages: true, supportsAudio: true },
      { id: "o/c", contextLength: 2048, supportsImages: false, supportsAudio: false },
      { id: "o/d", supportsImages: false },
    ]);
  });

  it("contain what the server reports about tools, reasoning and the length of responses", () => {
    const models = parseModels({
      data: [
        {
          id: "o/a",
          supported_parameters: ["tools", "reasoning"],
          top_provider: { max_completion_tokens: 9 },
        },
        { id: "o/b", supported_parameters: ["temperature"], max_output_tokens: "4096" },
        { id: "o/c", capabilities: { function_calling: true }, supports_reasoning: false },
        { id: "o/d", max_completion_tokens: null },
      ],
    });
    assert.deepEqual(models, [
      { id: "o/a", supportsTools: true, supportsReasoning: true, maxOutputTokens: 9 },
      { id: "o/b", supportsTools: false, supportsReasoning: false, maxOutputTokens: 4096 },
      { id: "o/c", supportsTools: true, supportsReasoning: false },
      { id: "o/d" },
    ]);
  });

  it("omit models that clearly can't chat, and keep doubtful ones", () => {
    const ids = [
      "o/text-embedding-3",
      "BAAI/bge-m3",
      "o/qwen3-embedding-8b",
      "o/rerank-v2",
      "o/whisper-large",
      "o/stable-diffusion-xl",
      "o/flux.1-dev",
      "o/chat-model",
      "o/some-thing",
      "o/llama-3-8b-instruct",
      "o/qwen2-vl",
    ];
    assert.deepEqual(
      parseModels(ids)?.map(({ id }) => id),
      ["o/chat-model", "o/some-thing", "o/llama-3-8b-instruct", "o/qwen2-vl"],
    );
    const typed = parseModels([
      { id: "o/x", type: "embedding" },
      { id: "o/y", task: "text-to-image" },
      { id: "o/embed-chat", type: "chat" },
    ]);
    assert.deepEqual(
      typed?.map(({ id }) => id),
      ["o/embed-chat"],
    );
  });
});
