import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { findExcess, parseBudget } from "../../../src/core/conversation/budget.ts";
import { sumTotals, totalsOf } from "../../../src/core/conversation/usageTotals.ts";

function answer(parts: Partial<Message>): Message {
  return {
    id: "m",
    role: "assistant",
    status: "complete",
    createdAt: 0,
    text: "",
    attachments: [],
    reasoning: "",
    toolCalls: [],
    ...parts,
  };
}

const usage = { promptTokens: 10, cachedTokens: 4, completionTokens: 5, reasoningTokens: 2 };
const messages = [
  answer({ role: "user" }),
  answer({ model: "a", usage }),
  answer({ model: "a", usage }),
  answer({ model: "b", usage, createdAt: 1 }),
  answer({ model: "b", usage: { totalTokens: 9 } }),
];

describe("Usage totals", () => {
  const totals = totalsOf(messages, (at) => `day ${at}`);

  it("are kept by day and model, for responses only", () => {
    const sums = totals.map(({ day, model, responses, promptTokens }) => [
      day,
      model,
      responses,
      promptTokens,
    ]);
    assert.deepEqual(sums, [
      ["day 0", "a", 2, 20],
      ["day 1", "b", 1, 10],
      ["day 0", "b", 1, 0],
    ]);
  });

  it("add up, and count the responses without token counts or without a price", () => {
    const prices = { a: { input: 1_000_000, output: 0, currency: "EUR" } };
    const sum = sumTotals(totals, prices);
    assert.deepEqual([sum.responses, sum.counted, sum.unpriced], [4, 3, 1]);
    assert.deepEqual(sum.costs, [{ amount: 20, currency: "EUR" }]);
    assert.equal(sum.reasoningTokens, 6);
  });
});

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

  it("ignores other currencies, and is undefined without a limit", () => {
    assert.equal(parseBudget({ currency: "EUR" }), undefined);
    const budget = parseBudget({ daily: 1 });
    assert.ok(budget);
    assert.equal(findExcess(budget, { day: euros(9), month: euros(9) }), undefined);
  });
});
