import assert from "node:assert/strict";
import {
  costOf,
  findPrice,
  formatCost,
  parsePrices,
  sumCosts,
} from "../../../src/core/conversation/prices.ts";

describe("Prices", () => {
  it("are found under the model's own ID, or else under the longest matching pattern", () => {
    const table = parsePrices({
      "*": { input: 1 },
      "lab/*": { input: 2 },
      "lab/*-mini": { input: 3 },
      "lab/big": { input: 4 },
      broken: 5,
    });
    const input = (model: string): number | undefined => findPrice(model, table)?.input;
    assert.deepEqual(["lab/big", "lab/x-mini", "lab/x", "other", "broken"].map(input), [4, 3, 2, 1, 1]);
  });

  it("match whole names only, with every part of the pattern in order", () => {
    const fits = (model: string, pattern: string): boolean =>
      findPrice(model, parsePrices({ [pattern]: {} })) !== undefined;
    assert.ok(fits("a-b-c", "a*b*c"));
    assert.ok(!fits("ab", "ab*b"));
    assert.ok(!fits("a-b", "b"));
    assert.ok(!fits("constructor", "toString"));
    assert.ok(!fits("a".repeat(50_000), "a*".repeat(5_000) + "b"));
  });

  it("compute the cost from token counts, with a separate price for cached tokens", () => {
    const price = { input: 2, cachedInput: 0.5, output: 10, currency: "EUR" };
    const usage = { promptTokens: 1000, cachedTokens: 400, completionTokens: 100 };
    assert.deepEqual(costOf(usage, price), { amount: 0.0024, currency: "EUR" });
  });

  it("compute no cost without a count or a price", () => {
    const usage = { promptTokens: 1000, completionTokens: 100 };
    assert.equal(costOf(usage, { input: 2, currency: "USD" }), undefined);
    assert.equal(costOf({ promptTokens: 1000 }, { input: 2, output: 2, currency: "USD" }), undefined);
    assert.deepEqual(costOf(usage, { input: 0, output: 0, currency: "USD" }), { amount: 0, currency: "USD" });
  });

  it("are never added up across currencies", () => {
    const euro = { amount: 1, currency: "EUR" };
    const dollar = { amount: 2, currency: "USD" };
    assert.deepEqual(sumCosts([euro, dollar, euro]), [{ amount: 2, currency: "EUR" }, dollar]);
  });

  it("are formatted with their significant digits, whatever the currency is", () => {
    assert.equal(formatCost({ amount: 12.345, currency: "USD" }, "en"), "$12.35");
    assert.equal(formatCost({ amount: 0.00012345, currency: "EUR" }, "en"), "€0.00012");
    assert.equal(formatCost({ amount: 0, currency: "USD" }, "en"), "$0.00");
    assert.equal(formatCost({ amount: 2, currency: "CREDITS" }, "en"), "2.00 CREDITS");
  });
});
