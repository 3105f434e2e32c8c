import assert from "node:assert/strict";
import { nativeModel } from "../../../src/core/nativeChat/nativeModel.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";

const facts = {
  prices: { "org/*": { input: 1, output: 2.5, currency: "USD" } },
  locale: "en",
};

describe("A model in VS Code's own list", () => {
  it("leaves room for the response in its context window", () => {
    const { maxInputTokens, maxOutputTokens, maxContextWindowTokens } = nativeModel(
      { id: "org/model", contextLength: 32_000 },
      { name: "Lab" },
      facts,
    );
    assert.deepEqual([maxInputTokens, maxOutputTokens, maxContextWindowTokens], [23_808, 8_192, 32_000]);
  });

  it("has the response limit of the profile, otherwise that of the server, within its context window", () => {
    const limitOf = (contextLength: number, reported?: number, configured?: number): number =>
      nativeModel(
        { id: "org/model", contextLength, ...(reported === undefined ? {} : { maxOutputTokens: reported }) },
        {
          name: "Lab",
          ...(configured === undefined ? {} : { models: { "*": { maxOutputTokens: configured } } }),
        },
        facts,
      ).maxOutputTokens;
    assert.equal(limitOf(100_000, 32_000), 32_000);
    assert.equal(limitOf(100_000, 32_000, 1_000), 1_000);
    assert.equal(limitOf(8_000, 32_000), 6_000);
  });

  it("shows its price, and none that is unknown", () => {
    const { pricing, tooltip } = nativeModel({ id: "org/model" }, { name: "Lab" }, facts);
    assert.equal(pricing, "$1.00 / $2.50");
    assert.ok(tooltip.endsWith("Price of a million tokens: $1.00 input, $2.50 output"));
    assert.equal(nativeModel({ id: "other" }, { name: "Lab" }, facts).pricing, undefined);
  });

  it("offers tools, images and reasoning as far as its server supports them", () => {
    const { capabilities, configurationSchema } = nativeModel(
      { id: "a", supportsImages: true, supportsTools: false, supportsReasoning: false },
      { name: "Lab" },
      facts,
    );
    assert.deepEqual(capabilities, { imageInput: true, toolCalling: false });
    assert.equal(configurationSchema, undefined);
    const unknown = nativeModel({ id: "b" }, { name: "Lab" }, facts);
    assert.deepEqual(unknown.capabilities, { imageInput: false, toolCalling: true });
    const properties = unknown.configurationSchema?.["properties"];
    assert.ok(isRecord(properties) && isRecord(properties["reasoningEffort"]));
    assert.equal(properties["reasoningEffort"]["default"], "");
  });
});
