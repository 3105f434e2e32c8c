import assert from "node:assert/strict";
import type { LedgerTotal } from "../../../../src/core/responses/usage/ledgerRow.ts";
import { usageCsv, usageReport } from "../../../../src/core/responses/usage/usageReport.ts";

const unpriced: LedgerTotal = {
  day: "2026-11-21",
  purpose: "response",
  profile: "p",
  model: "lab/a",
  requests: 2,
  promptTokens: 1000,
  cachedTokens: 0,
  completionTokens: 500,
  reasoningTokens: 0,
  estimated: 1,
  unpriced: 2,
};
const total: LedgerTotal = { ...unpriced, unpriced: 0, cost: { amount: 2, currency: "USD" } };
const facts = { budget: undefined, now: new Date(2026, 10, 21).getTime(), locale: "en" };

describe("The usage report", () => {
  it("has a row for each day with a bar for its cost, and a total", () => {
    const all = [total, { ...total, day: "2026-11-20", cost: { amount: 1, currency: "USD" } }];
    const report = usageReport({ ...facts, all });
    assert.match(report, /\| 2026\u201111\u201121 \| 2 \| 1,000 \| 0 \| 500 \| 0 \| \$2\.00 \| █{8} \|/);
    assert.match(report, /\| 2026\u201111\u201120 \| 2 \| 1,000 \| 0 \| 500 \| 0 \| \$1\.00 \| █{4} \|/);
    assert.match(report, /\| \*\*Total\*\* \| 4 \| 2,000 \| 0 \| 1,000 \| 0 \| \$3\.00 \|/);
    assert.match(report, /Requests with estimated token counts: 2\./);
  });

  it("shows estimated costs apart", () => {
    const estimatedCost = { amount: 0.5, currency: "USD" };
    const report = usageReport({ ...facts, all: [{ ...total, estimatedCost }, total] });
    assert.match(report, /\| \$3\.50 \+ ≈ \$0\.50 \|/);
    assert.match(report, /Spent this month: \$4\.00\. Of this, \$0\.50 is estimated\./);
    const only = usageReport({
      ...facts,
      all: [{ ...total, estimatedCost: { amount: 2, currency: "USD" } }],
    });
    assert.match(only, /\| 0 \| ≈ \$2\.00 \|/);
  });

  it("shows the smallest cost of a day as a part of a block, and no cost as nothing", () => {
    const costs = { "2026-11-21": 2, "2026-11-20": 1.1, "2026-11-19": 0.001, "2026-11-18": 0 };
    const all = Object.entries(costs).map(([day, amount]): LedgerTotal => ({
      ...total,
      day,
      cost: { amount, currency: "USD" },
    }));
    const days = usageReport({ ...facts, all })
      .split("\n")
      .filter((line) => line.startsWith("| 2026\u2011"));
    const bars = days.map((line) => line.split("|").at(-2)?.trim());
    assert.deepEqual(bars, ["████████", "████▌", "▏", ""]);
  });

  it("adds up this month by model, purpose, profile, workspace and extension", () => {
    const all: readonly LedgerTotal[] = [
      { ...total, workspace: "work" },
      { ...total, purpose: "title", extension: "x.y" },
      { ...unpriced, model: "lab/b" },
      { ...total, day: "2026-10-31", model: "lab/old" },
    ];
    const report = usageReport({ ...facts, all });
    assert.match(report, /by model\n\n[^#]*\| `lab\/a` \| 4 [^#]*\| `lab\/b` \| 2 .*\| – \|/);
    assert.match(report, /by purpose\n\n[^#]*\| Response \| 4 [^#]*\| Conversation title \| 2 /);
    assert.match(report, /by profile\n\n[^#]*\| p \| 6 /);
    assert.match(report, /by workspace\n\n[^#]*\| work \| 2 /);
    assert.match(report, /by extension\n\n[^#]*\| x\.y \| 2 /);
    assert.doesNotMatch(report, /lab\/old/);
    assert.match(report, /Requests without a known price at the time: 2\./);
  });

  it("adds up a conversation by model, with the costs that were recorded", () => {
    const totals = [total, { ...unpriced, model: "lab/b" }, { ...total, day: "2026-01-01" }];
    const report = usageReport({ ...facts, all: [total], conversation: { title: "Cats", totals } });
    assert.match(
      report,
      /conversation: Cats\n\n[^#]*\| `lab\/a` \| 4 [^\n]*\$4\.00 \|\n\| `lab\/b` \| 2 [^\n]* – \|/,
    );
    assert.match(report, /\n\| \*\*Total\*\* \| 6 \| 3,000 \| 0 \| 1,500 \| 0 \| \$4\.00 \|\n\n## By day/);
  });

  it("explains in one sentence what it will contain while nothing has been sent", () => {
    const conversation = { title: "New", totals: [] };
    const report = usageReport({ ...facts, all: [], conversation });
    assert.match(report, /^# Usage\n\nNothing has been sent yet\. After the first request, [^\n]*\.$/);
  });

  it("has no table without rows, such as those of a month without requests", () => {
    const report = usageReport({ ...facts, all: [{ ...total, day: "2026-10-31" }] });
    assert.match(report, /There are no requests this month yet\./);
    assert.match(report, /## By day\n\n\| Day /);
    assert.doesNotMatch(report, /This month by|conversation:/);
    for (const [, after] of report.matchAll(/\| --- \|[^\n]*(\n\|)?/g)) assert.equal(after, "\n|");
  });

  it("extrapolates the cost of the month and compares it with the budget", () => {
    const report = usageReport({ ...facts, all: [total], budget: { monthly: 10, currency: "USD" } });
    assert.match(report, /Spent this month: \$2\.00 of \$10\.00\. Forecast for the whole month: \$3\.00\./);
  });

  it("shows the names of models and conversations without interpreting them as Markdown", () => {
    const evil = "x` | [a](command:b) <img>\n# h";
    const all = [{ ...total, model: evil, workspace: evil, extension: evil, profile: evil }];
    const totals = [{ ...total, model: evil }];
    const conversation = { title: "**b** ![x](https://e.test/p.png)", totals };
    const report = usageReport({ ...facts, all, conversation });
    // Everything in a span of code, or with a backslash.
    assert.doesNotMatch(report.replace(/`[^`]*`/g, "").replace(/\\./g, ""), /\]\(|<img|^# h|!\[/m);
    const path = "D:\\LMstudio\\Models\\_lm\\Qwen3.5-35B-A3B-Q4_K_M.gguf";
    assert.ok(usageReport({ ...facts, all: [{ ...total, model: path }] }).includes(`\`${path}\``));
  });
});

describe("The exported usage", () => {
  it("has a line for each request, in which no name becomes a formula", () => {
    const csv = usageCsv([
      {
        ...{
          id: "1",
          startedAt: 0,
          purpose: "response",
          profile: "=cmd()",
          model: "lab/a",
          outcome: "complete",
        },
        ...{ attempts: 2, durationMs: 30, usage: { promptTokens: 5 }, isEstimated: true },
        ...{ cost: { amount: 0.25, currency: "USD" }, requestId: "req-1" },
      },
    ]);
    const [header, line] = csv.split("\r\n");
    assert.equal(header?.split(",").length, line?.split(",").length);
    assert.match(line ?? "", /^"1970-01-01T00:00:00\.000Z","Response","","'=cmd\(\)","lab\/a","","Complete"/);
    assert.match(line ?? "", /"","2","30","5","","","","yes","0\.25","USD","req-1"$/);
  });
});
