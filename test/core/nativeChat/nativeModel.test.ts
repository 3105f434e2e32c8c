import assert from "node:assert/strict";
import { nativeModels, ModelAccess } from "../../../src/core/nativeChat/nativeModel.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import type { Model } from "../../../src/core/conversation/completion.ts";
import type { AccessDecision, NativeModel } from "../../../src/core/nativeChat/nativeModel.ts";

const facts = {
  prices: { "org/*": { input: 1, output: 2.5, currency: "USD" } },
  locale: "en",
};

function nativeModel(
  model: Model,
  profile: Parameters<typeof nativeModels>[0][number]["profile"],
  given: Parameters<typeof nativeModels>[1],
): NativeModel {
  const [listed] = nativeModels([{ profile, models: [model] }], given);
  assert.ok(listed !== undefined);
  return listed;
}

describe("A model in VS Code's own list", () => {
  it("is named with its profile if another profile has a model with the same name", () => {
    const models = [{ id: "org/model" }, { id: "org/other" }];
    const lists = [
      { profile: { name: "Lab" }, models },
      { profile: { name: "Cloud" }, models: models.slice(0, 1) },
    ];
    const names = nativeModels(lists, facts).map(({ name }) => name);
    assert.deepEqual(names, ["org/model (Lab)", "org/other", "org/model (Cloud)"]);
  });

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

  it("shows its price and who says so, and none that is unknown", () => {
    const { pricing, tooltip } = nativeModel({ id: "org/model" }, { name: "Lab" }, facts);
    assert.equal(pricing, "$1.00 / $2.50");
    assert.ok(tooltip.endsWith("$1.00 input, $2.50 output per million tokens, as in your settings"));
    const price = { input: 3, output: 15, currency: "USD" };
    assert.equal(nativeModel({ id: "org/model", price }, { name: "Lab" }, facts).pricing, pricing);
    const published = nativeModel({ id: "other", price }, { name: "Lab" }, facts);
    assert.equal(published.pricing, "$3.00 / $15.00");
    assert.ok(
      published.tooltip.endsWith(
        "$3.00 input, $15.00 output per million tokens, as published by the service",
      ),
    );
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

describe("The access of other extensions to the models", () => {
  let stored: unknown;
  let asked: string[];
  let now: number;
  let decision: AccessDecision | undefined;
  const access = () =>
    new ModelAccess(
      { load: () => stored, save: async (decisions) => void (stored = decisions) },
      async (extension) => {
        asked.push(extension);
        return decision;
      },
      () => now,
    );
  beforeEach(() => {
    stored = undefined;
    asked = [];
    now = 0;
    decision = { access: "allowed" };
  });

  it("is asked about once, even for twenty requests at the same time", async () => {
    const shared = access();
    const results = await Promise.all(Array.from({ length: 20 }, () => shared.isAllowed("x.y")));
    assert.ok(results.every((isAllowed) => isAllowed));
    assert.equal(await access().isAllowed("x.y"), true);
    assert.deepEqual(asked, ["x.y"]);
  });

  it("ends with the day if the user allowed it for today", async () => {
    decision = { access: "allowed", until: 10 };
    assert.equal(await access().isAllowed("x.y"), true);
    now = 10;
    assert.equal(await access().isAllowed("x.y"), true);
    assert.equal(asked.length, 2);
  });

  it("stays denied until the user forgets the decision", async () => {
    decision = { access: "denied" };
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(asked.length, 1);
    await access().forget("x.y");
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(asked.length, 2);
  });

  it("isn't determined by a dismissed question or by invalid stored data", async () => {
    decision = undefined;
    stored = { "x.y": { access: "yes" }, "a.b": 1 };
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(asked.length, 2);
  });
});
