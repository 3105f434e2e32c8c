import assert from "node:assert/strict";
import { findExcess, parseBudget } from "../../../src/core/conversation/budget.ts";

describe("A budget", () => {
  const euros = (amount: number) => [{ amount, currency: "EUR" }];

  it("is used up when the spending reaches it, the daily one before the monthly one", () => {
    const budget = parseBudget({ daily: 1, monthly: 5, currency: "eur" });
    assert.ok(budget);
    assert.equal(findExcess(budget, { day: euros(0.99), month: euros(4.99) }), undefined);
    assert.equal(findExcess(budget, { day: euros(1), month: euros(5) })?.period, "day");
    assert.deepEqual(findExcess(budget, { day: euros(0), month: euros(6) }), {
      period: "month",
      spent: { amount: 6, currency: "EUR" },
      limit: { amount: 5, currency: "EUR" },
    });
  });

  for (const value of [{ daily: "5" }, { monthly: null }, { daily: 1, monthly: "10 USD" }, "5", [5]]) {
    it(`is refused if it can't be read, instead of being no limit: ${JSON.stringify(value)}`, () => {
      assert.throws(() => parseBudget(value), /aren't numbers/);
    });
  }

  it("ignores other currencies, and is undefined without a limit", () => {
    assert.equal(parseBudget({ currency: "EUR" }), undefined);
    const budget = parseBudget({ daily: 1 });
    assert.ok(budget);
    assert.equal(findExcess(budget, { day: euros(9), month: euros(9) }), undefined);
  });
});
