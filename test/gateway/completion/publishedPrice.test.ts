import assert from "node:assert/strict";
import { parseModels } from "../../../src/gateway/completion/models.ts";
import type { Price } from "../../../src/core/conversation/completion.ts";

function priceOf(record: object): Price | undefined {
  return parseModels({ data: [{ id: "lab/model", ...record }] })?.[0]?.price;
}

/** The form of each gateway, with the price per million tokens. */
const forms: Readonly<Record<string, readonly [record: object, price: object]>> = {
  OpenRouter: [
    {
      pricing: {
        ...{ prompt: "0.000003", completion: "0.000015", request: "0", image: "0.0048", web_search: "0" },
        ...{ internal_reasoning: "0", input_cache_read: "0.0000003", input_cache_write: "0.00000375" },
      },
    },
    { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 },
  ],
  "Vercel AI Gateway": [
    {
      pricing: {
        input: "0.00000012",
        output: "0.00000024",
        input_cache_read: 0.00000001,
        input_cache_write: 0,
      },
    },
    { input: 0.12, output: 0.24, cachedInput: 0.01 },
  ],
  LiteLLM: [
    {
      model_info: {
        ...{ input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5, max_input_tokens: 200_000 },
        ...{ cache_read_input_token_cost: 3e-7, cache_creation_input_token_cost: 3.75e-6 },
      },
    },
    { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 },
  ],
  Together: [
    { pricing: { hourly: 0, input: 0.88, output: 0.9, base: 0, finetune: 0 } },
    { input: 0.88, output: 0.9 },
  ],
  DeepInfra: [
    {
      metadata: {
        context_length: 8192,
        pricing: { input_tokens: 0.08, output_tokens: 0.3, cache_read_tokens: 0.02 },
      },
    },
    { input: 0.08, output: 0.3, cachedInput: 0.02 },
  ],
  "DeepInfra, in cents": [
    { pricing: { type: "tokens", cents_per_input_token: 9e-5, cents_per_output_token: 0.0004 } },
    { input: 0.9, output: 4 },
  ],
  "Nebius and Cerebras": [
    { pricing: { prompt: "0.00000013", completion: "0.0000004" } },
    { input: 0.13, output: 0.4 },
  ],
  Novita: [
    {
      ...{ input_token_price_per_m: 1500, output_token_price_per_m: 5000 },
      pricing: {
        prompt: { price_per_m: 1, price_per_m_decimal: "0.15" },
        completion: { price_per_m_decimal: "0.5" },
      },
    },
    { input: 0.15, output: 0.5 },
  ],
  "Novita, without decimals": [
    { input_token_price_per_m: 2500, output_token_price_per_m: 10_000 },
    { input: 0.25, output: 1 },
  ],
  Venice: [
    {
      model_spec: {
        pricing: { input: { usd: 0.15, diem: 0.15 }, output: { usd: 0.6 }, cache_input: { usd: 0.03 } },
      },
    },
    { input: 0.15, output: 0.6, cachedInput: 0.03 },
  ],
  Chutes: [{ price: { input: { usd: 0.25, tao: 0.001 }, output: { usd: 1 } } }, { input: 0.25, output: 1 }],
  Requesty: [
    { input_price: 0.000003, output_price: 0.000015, cached_price: 3e-7, input_tokens: 8192 },
    { input: 3, output: 15, cachedInput: 0.3 },
  ],
  NanoGPT: [
    { pricing: { prompt: 0.0005, completion: 0.0009, currency: "EUR", unit: "per_million_tokens" } },
    { input: 0.0005, output: 0.0009, currency: "EUR" },
  ],
  xAI: [
    {
      prompt_text_token_price: 30_000,
      completion_text_token_price: 150_000,
      cached_prompt_text_token_price: 7500,
    },
    { input: 3, output: 15, cachedInput: 0.75 },
  ],
  "a list with regions": [
    { pricing: { global: { prompt: 0.75, completions: 3.75, input_cache_read: 0.075 } } },
    { input: 0.75, output: 3.75, cachedInput: 0.075 },
  ],
  "Hugging Face, whose router chooses": [
    {
      providers: [
        { status: "live", pricing: { input: 0.42, output: 3 } },
        { status: "live", pricing: { input: 0.99, output: 1.49 } },
        { status: "staging", pricing: { input: 9, output: 9 } },
        { status: "live" },
      ],
    },
    { input: 0.99, output: 3 },
  ],
  "a free model": [
    { id: "lab/model:free", pricing: { prompt: "0", completion: "0" } },
    { input: 0, output: 0 },
  ],
};

describe("The price that a service publishes", () => {
  for (const [name, [record, price]] of Object.entries(forms))
    it(`is read per million tokens in the form of ${name}`, () => {
      assert.deepEqual(priceOf(record), { currency: "USD", ...price });
    });

  it("is unknown, not wrong, if it depends on a choice, has no unit, or is none", () => {
    for (const record of [
      { pricing: { prompt: "-1", completion: "-1" } },
      { pricing: { prompt: "0", completion: "0" } },
      { model_info: { input_cost_per_token: 0, output_cost_per_token: 0 } },
      { pricing: { hourly: 2.2, input: 0, output: 0 } },
      { pricing: { input: 3 } },
      { pricing: { input: 3, output: 4, currency: "credits" } },
      { pricing: "cheap" },
      { pricing: null, metadata: null, providers: "all" },
      { input: ["text"], output: ["text"], input_tokens: 8192, output_tokens: 4096 },
      { pricing: { input: 128_000, output: 64_000 } },
    ])
      assert.equal(priceOf(record), undefined, JSON.stringify(record));
  });
});
