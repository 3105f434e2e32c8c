import assert from "node:assert/strict";
import { findPrice, priceOf, withPublished } from "../../../src/core/conversation/prices.ts";

const published = { input: 3, output: 15, currency: "USD" };
const set = { input: 1, output: 2, currency: "EUR" };

describe("The price that a service publishes, besides the setting", () => {
  it("counts only where the setting has no price, not even for a pattern", () => {
    const models = [{ id: "lab/a", price: published }, { id: "lab/b", price: published }, { id: "c" }];
    const table = withPublished({ "*/a": set }, models);
    assert.deepEqual(findPrice("lab/a", table), set);
    assert.deepEqual(findPrice("lab/b", table), published);
    assert.equal(findPrice("c", table), undefined);
    assert.deepEqual(priceOf(models[0] ?? { id: "" }, { "*/a": set }), { price: set, isPublished: false });
    assert.deepEqual(priceOf(models[1] ?? { id: "" }, {}), { price: published, isPublished: true });
  });
});
