import assert from "node:assert/strict";
import { costOf } from "../../../src/core/conversation/prices.ts";
import { parseUsage } from "../../../src/gateway/completion/completionChunk.ts";

const price = { input: 3, cachedInput: 0.3, output: 15, currency: "USD" };

/** What a request is said to have used and cost. */
function read(usage: object): readonly (number | undefined)[] {
  const parsed = parseUsage(usage) ?? {};
  const amount = costOf(parsed, price)?.amount;
  const cost = amount === undefined ? undefined : Number(amount.toPrecision(6));
  return [parsed.promptTokens, parsed.completionTokens, cost];
}

describe("The usage that a server reports", () => {
  it("is charged with reasoning that is counted beside the output, as the total or the parts show", () => {
    const openAi = { prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306 };
    assert.deepEqual(
      read({ ...openAi, prompt_tokens_details: { cached_tokens: 1920 } }),
      [2006, 300, 0.005334],
    );
    const reasoning = { completion_tokens_details: { reasoning_tokens: 2809 } };
    const xAi = {
      prompt_tokens: 10_120,
      completion_tokens: 1499,
      prompt_tokens_details: { cached_tokens: 128 },
    };
    assert.deepEqual(read({ ...xAi, ...reasoning, total_tokens: 14_428 }), [10_120, 4308, 0.0946344]);
    assert.deepEqual(read({ ...xAi, ...reasoning }), [10_120, 4308, 0.0946344]);
    // Reasoning that nothing names is in the total only.
    assert.deepEqual(
      read({ prompt_tokens: 12, completion_tokens: 1, total_tokens: 399 }),
      [12, 387, 0.005841],
    );
    const inside = { prompt_tokens: 10, completion_tokens: 400, total_tokens: 410, reasoning_tokens: 300 };
    assert.deepEqual(read(inside), [10, 400, 0.00603]);
  });

  it("is charged with cached tokens that are counted beside the input, whatever they are called", () => {
    const beside = [17_111, 120, 0.0069576];
    const cache = { cache_read_input_tokens: 17_102, cache_creation_input_tokens: 0 };
    assert.deepEqual(read({ input_tokens: 9, output_tokens: 120, ...cache }), beside);
    assert.deepEqual(read({ prompt_tokens: 9, completion_tokens: 120, total_tokens: 129, ...cache }), beside);
    assert.deepEqual(
      read({ prompt_tokens: 17_111, completion_tokens: 120, total_tokens: 17_231, ...cache }),
      beside,
    );
    const zero = { prompt_tokens_details: { cached_tokens: 0 } };
    const liteLlm = { prompt_tokens: 17_111, completion_tokens: 120, total_tokens: 17_231 };
    assert.deepEqual(read({ ...liteLlm, ...cache, ...zero }), beside);
    const large = { input_tokens: 20_000, output_tokens: 120, ...cache };
    assert.equal(read(large)[0], 37_102);
    assert.equal(read({ ...large, total_tokens: 37_222 })[0], 37_102);
    assert.equal(read({ ...large, total_tokens: 20_120 })[0], 20_000);
    const deepSeek = { prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 };
    assert.deepEqual(read({ prompt_tokens: 1000, completion_tokens: 10, ...deepSeek }), [1000, 10, 0.00072]);
    assert.deepEqual(
      read({ prompt_tokens: 1000, completion_tokens: 10, cached_input_tokens: 900 }),
      [1000, 10, 0.00072],
    );
    assert.deepEqual(
      read({ prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: null }),
      [100, 20, 0.0006],
    );
  });

  it("is charged with the price of tokens that are written to the cache", () => {
    const usage = parseUsage({
      input_tokens: 10,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 990,
    });
    assert.equal(costOf(usage ?? {}, { ...price, cacheWrite: 3.75 })?.amount, (10 * 3 + 990 * 3.75) / 1e6);
  });

  it("costs what the service says that it costs, in all forms and even without a price", () => {
    const counts = { prompt_tokens: 194, completion_tokens: 2, total_tokens: 196 };
    assert.equal(read({ ...counts, cost: 0.95 })[2], 0.95);
    assert.equal(read({ ...counts, cost: 0 })[2], 0);
    assert.equal(read({ ...counts, cost: "0.0045405" })[2], 0.0045405);
    assert.equal(read({ ...counts, cost: { input_tokens_cost: 0.1, total_cost: 0.4 } })[2], 0.4);
    assert.equal(read({ ...counts, estimated_cost: 0.002 })[2], 0.002);
    assert.equal(read({ ...counts, cost_in_usd_ticks: 318_319_000 })[2], 0.0318319);
    const ownKey = { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } };
    assert.equal(read({ ...counts, ...ownKey })[2], 0.21);
    assert.deepEqual(costOf(parseUsage({ ...counts, cost: 0.95 }) ?? {}, undefined), {
      amount: 0.95,
      currency: "USD",
    });
    for (const cost of [null, -1, "free", NaN, {}]) assert.equal(read({ ...counts, cost })[2], 0.000612);
  });
});
