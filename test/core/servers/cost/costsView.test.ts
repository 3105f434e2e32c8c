import assert from "node:assert/strict";
import type { CostsChoice, CostsView } from "../../../../src/core/servers/cost/costsProtocol.ts";
import { costsCsv, costsSince, costsView } from "../../../../src/core/servers/cost/costsView.ts";
import { sumSpending, spendingByDay } from "../../../../src/core/servers/cost/serverSpending.ts";
import { costsNow, createRun, createTotal, mixedCosts, utc } from "../../../support/costFacts.ts";

const today: CostsChoice = { period: "today", group: "server" };
const month: CostsChoice = { period: "month", group: "day" };

function rowsOf({ table }: CostsView): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries((table?.rows ?? []).map(([name = "", ...cells]) => [name, cells]));
}

describe("The costs of a period", () => {
  it("come to the sum by hand of a server that was stopped and started again, of two currencies, and of requests", () => {
    const { plots, table } = costsView(mixedCosts, today);
    // 24 dollars for 00:00 to 10:05 and for 12:05 to 14:30, and two requests; 10 euros for 4 h 30 min and about 2 h more.
    const [dollars, euros] = [24 * (10 + 5 / 60 + 2 + 25 / 60) + 0.5 + 0.5, 45];
    assert.deepEqual([dollars, euros], [301, 45]);
    assert.deepEqual(
      plots.map(({ total, estimate }) => [total, estimate]),
      [
        ["$301.00", "≈ $0.25"],
        ["€45.00", "≈ €20.00"],
      ],
    );
    assert.deepEqual(table?.total.slice(0, 3), ["Total", "$301.00 + €45.00 + unknown", "≈ €20.00 + ≈ $0.25"]);
  });

  it("equal what the status bar adds up for the servers", () => {
    const { since, until } = { since: costsSince(today, costsNow), until: costsNow };
    const { observed } = sumSpending(spendingByDay(mixedCosts.runs, since, until));
    assert.deepEqual(
      observed.map(({ amount, currency }) => [amount, currency]),
      [
        [300, "USD"],
        [45, "EUR"],
      ],
    );
    const { plots } = costsView({ ...mixedCosts, requests: [] }, today);
    assert.deepEqual(
      plots.map(({ total }) => total),
      ["$300.00", "€45.00"],
    );
  });

  it("are divided at midnight in UTC, for servers and requests alike", () => {
    const rows = rowsOf(costsView(mixedCosts, month));
    assert.equal(rows["Nov 23"]?.[0], "$48.50");
    assert.equal(rows["Nov 24"]?.[0], "$301.00 + €45.00 + unknown");
    const { plots } = costsView(mixedCosts, month);
    assert.deepEqual(plots[0]?.bars.slice(-2), [
      {
        label: "Nov 23",
        parts: [
          { part: "servers", share: 48 / 301.25, text: "$48.00" },
          { part: "requests", share: 0.5 / 301.25, text: "$0.50" },
        ],
      },
      {
        label: "Nov 24",
        parts: [
          { part: "servers", share: 300 / 301.25, text: "$300.00" },
          { part: "requests", share: 1 / 301.25, text: "$1.00" },
          { part: "estimatedRequests", share: 0.25 / 301.25, text: "$0.25" },
        ],
      },
    ]);
    assert.equal(plots[0].bars.length, 24);
  });

  it("begin at midnight, six days ago, or with the month, in UTC", () => {
    const since = (period: CostsChoice["period"], now = costsNow): string =>
      new Date(costsSince({ period, group: "day" }, now)).toISOString().slice(0, 16);
    assert.equal(since("today"), "2026-11-24T00:00");
    assert.equal(since("week"), "2026-11-18T00:00");
    assert.equal(since("month"), "2026-11-01T00:00");
    assert.equal(since("month", utc("01T00:00")), "2026-11-01T00:00");
    assert.equal(costsView({ runs: [], requests: [], now: utc("01T00:00") }, month).table, undefined);
  });

  it("of today are shown by the hour", () => {
    const { plots, table, notes } = costsView(mixedCosts, { period: "today", group: "day" });
    assert.equal(table?.columns[0], "Hour");
    assert.deepEqual(table.rows[0]?.slice(0, 2), ["14:00", "$12.00 + €5.00 + unknown"]);
    assert.deepEqual(plots[0]?.bars[10]?.parts, [{ part: "servers", share: 2 / 24.75, text: "$2.00" }]);
    assert.ok(notes.includes("Times are in UTC."));
  });

  it("name what they don't include", () => {
    assert.deepEqual(costsView(mixedCosts, today).missing, [
      "1 server without a price: eval-03",
      "1 server while it wasn't running: old-01",
      "1 h of server time that wasn't observed",
      "Disks of servers",
    ]);
    const requests = [createTotal("24T01:00", { unpriced: 7 })];
    assert.deepEqual(costsView({ runs: [], requests, now: costsNow }, today).missing, [
      "Requests without a price: 7 (see the setting inferenceGateway.chat.prices)",
    ]);
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const runs = names.map((name) => createRun(name, "24T01:00", "24T02:00", { rate: undefined }));
    assert.equal(
      costsView({ runs, requests: [], now: costsNow }, today).missing[0],
      "7 servers without a price: a, b, c, d, e and 2 more",
    );
  });

  it("don't begin with 0 if everything is estimated", () => {
    const requests = [
      createTotal("24T01:00", {
        ...{ cost: { amount: 0, currency: "USD" }, estimatedCost: { amount: 2, currency: "USD" } },
      }),
    ];
    const [plot] = costsView({ runs: [], requests, now: costsNow }, today).plots;
    assert.deepEqual([plot?.total, plot?.estimate], ["", "≈ $2.00"]);
  });

  it("never show what isn't known as 0, and what costs nothing not as unknown", () => {
    const rows = rowsOf(costsView(mixedCosts, today));
    for (const name of ["eval-03", "old-01", "old-02"]) assert.equal(rows[name]?.[0], "unknown", name);
    const free = createRun("a", "24T01:00", "24T02:00", {
      rate: { amount: 0, currency: "USD", isEstimate: false },
    });
    const view = costsView({ runs: [free], requests: [], now: costsNow }, today);
    assert.equal(rowsOf(view)["a"]?.[0], "0");
    assert.deepEqual(view.plots, []);
  });

  it("are listed by what has cost most, and with everything else in the last row", () => {
    const names = (group: CostsChoice["group"]): readonly (string | undefined)[] =>
      costsView(mixedCosts, { period: "month", group }).table?.rows.map(([name]) => name) ?? [];
    assert.deepEqual(names("server").slice(0, 2), ["trainer-08", "infer-02"]);
    assert.equal(names("server").at(-1), "Requests to models");
    assert.deepEqual(names("model"), ["lab/a", "lab/b", "Servers"]);
    assert.deepEqual(names("profile"), ["research", "prod"]);
    assert.deepEqual(names("workspace"), ["nanogpt", "site", "Servers"]);
  });

  it("come to the same total however they are grouped", () => {
    const totals = (["day", "server", "model", "profile", "workspace"] as const).map((group) =>
      JSON.stringify(costsView(mixedCosts, { period: "month", group }).table?.total),
    );
    assert.equal(new Set(totals).size, 1);
  });

  it("keep servers of the same name apart, and a renamed one in one row with its last name", () => {
    const runs = [
      createRun("1", "24T01:00", "24T02:00", { name: "old" }),
      createRun("1", "24T02:00", "24T03:00", { name: "same" }),
      createRun("2", "24T02:00", "24T03:00", { name: "same" }),
    ];
    const { table } = costsView({ runs, requests: [], now: costsNow }, today);
    assert.deepEqual(
      table?.rows.map(([name, cost]) => [name, cost]),
      [
        ["same", "$48.00"],
        ["same", "$24.00"],
      ],
    );
  });

  it("bound and clean the names of servers, models and workspaces", () => {
    const name = `x\u202e\n${"y".repeat(10_000)}`;
    const runs = [createRun("a", "24T01:00", "24T02:00", { name, rate: undefined })];
    const requests = [createTotal("24T01:00", { model: name, workspace: name, profile: name })];
    for (const group of ["server", "model", "profile", "workspace"] as const) {
      const text = JSON.stringify(costsView({ runs, requests, now: costsNow }, { period: "today", group }));
      assert.ok(text.length < 5_000, group);
      assert.doesNotMatch(text, /\u202e|\\n/);
    }
  });
});

describe("The exported costs", () => {
  it("have a line for each day, server or model, and currency, without adding currencies or estimates", () => {
    const lines = costsCsv(mixedCosts, month).trimEnd().split("\r\n");
    assert.equal(new Set(lines.map((line) => line.split('","').length)).size, 1);
    const of = (name: string): readonly string[] => lines.filter((line) => line.includes(name));
    assert.deepEqual(of("trainer-08"), [
      '"2026-11-23T00:00:00.000Z","trainer-08","","research","","USD","48","","2","0","0","0","0","0","0","0"',
      '"2026-11-24T00:00:00.000Z","trainer-08","","research","","USD","300","","12.5","0","0","0","0","0","0","0"',
    ]);
    assert.deepEqual(of("infer-02"), [
      '"2026-11-24T00:00:00.000Z","infer-02","","prod","","EUR","45","20","6.5","0","0","0","0","0","0","0"',
    ]);
    assert.deepEqual(of("eval-03"), [
      '"2026-11-24T00:00:00.000Z","eval-03","","research","","","","","2.5","2.5","0","0","0","0","0","0"',
    ]);
    assert.deepEqual(of("lab/a"), [
      '"2026-11-23T00:00:00.000Z","","lab/a","research","nanogpt","USD","0.5","","0","0","0","0","10","1000","500","0"',
      '"2026-11-24T00:00:00.000Z","","lab/a","research","nanogpt","USD","0.5","0.25","0","0","0","0","10","1000","500","0"',
    ]);
  });

  it("count what has no currency once, although a server was charged in two", () => {
    const rate = { amount: 1, currency: "EUR", isEstimate: false };
    const runs = [createRun("a", "24T01:00", "24T02:00"), createRun("a", "24T02:00", "24T03:00", { rate })];
    const [, first, second] = costsCsv({ runs, requests: [], now: costsNow }, month).split("\r\n");
    assert.match(first ?? "", /"USD","24","","2","0","0","0"/);
    assert.match(second ?? "", /"EUR","1","","","","",""/);
  });

  it("contain no name that a spreadsheet would run as a formula", () => {
    const runs = [createRun("a", "24T01:00", "24T02:00", { name: "=cmd()" })];
    assert.match(costsCsv({ runs, requests: [], now: costsNow }, month), /"'=cmd\(\)"/);
  });
});
