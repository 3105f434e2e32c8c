import assert from "node:assert/strict";
import { usageReport } from "../../../../src/core/responses/usage/usageReport.ts";

const tokens = {
  responses: 2,
  counted: 1,
  promptTokens: 1000,
  cachedTokens: 0,
  completionTokens: 500,
  reasoningTokens: 0,
};

describe("The usage report", () => {
  it("has a row for each day, and for each model of a day, with its cost", () => {
    const all = [
      { day: "2026-11-21", model: "lab/a", ...tokens },
      { day: "2026-11-21", model: "lab/b", ...tokens },
      { day: "2026-11-20", model: "lab/a", ...tokens },
    ];
    const prices = { "lab/a": { input: 1000, output: 2000, currency: "USD" } };
    const report = usageReport({ all, prices, locale: "en" });
    assert.match(report, /\| 2026-11-21 \| 4 \| 2,000 \| 0 \| 1,000 \| 0 \| \$2\.00 \|/);
    assert.match(report, /\| \*\*Total\*\* \| 6 \| 3,000 \| 0 \| 1,500 \| 0 \| \$4\.00 \|/);
    assert.match(report, /\| `lab\/b` \| 2 \| 1,000 \| 0 \| 500 \| 0 \| – \|/);
    assert.match(report, /Responses without token counts: 3\./);
    assert.match(report, /Responses without a known price: 1\./);
  });

  it("shows the names of models and conversations without interpreting them as Markdown", () => {
    const all = [{ day: "2026-11-21", model: "x` | [a](command:b) <img>\n# h", ...tokens }];
    const conversation = { title: "**b** ![x](https://e.test/p.png)", totals: all };
    const report = usageReport({ all, conversation, prices: {}, locale: "en" });
    assert.doesNotMatch(report, /\]\(|<img|^# h|!\[/m);
  });
});
