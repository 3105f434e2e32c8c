import assert from "node:assert/strict";
import { seenList } from "../../../src/core/servers/cost/serverRun.ts";
import { costsView } from "../../../src/core/servers/cost/costsView.ts";
import { spendingByDay, sumSpending, utcPeriods } from "../../../src/core/servers/cost/serverSpending.ts";
import type { ServerSpending } from "../../../src/core/servers/cost/serverSpending.ts";
import type { Server, ServerStatus } from "../../../src/core/servers/server.ts";
import { writePrice } from "../../../src/core/servers/serverPrice.ts";
import { ServerRunTable } from "../../../src/storage/records/serverRunTable.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";
import type { ServerSection } from "../../../src/core/servers/tree/rows.ts";
import { createSection, createServer } from "../../support/serverSections.ts";

const minute = 60_000;
const hour = 60 * minute;
const at = (time: string): number => Date.parse(`2026-11-24T${time}Z`);

function priced(key: string, amount: number, currency = "USD"): Partial<Server> {
  const value = writePrice({ amount, currency, perGpu: false, isEstimate: false });
  return createServer(key, { price: { value, source: "price" } });
}

describe("What servers did", () => {
  let folder: RecordsFolder;
  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  const open = (): ServerRunTable => new ServerRunTable(folder.open());

  async function list(table: ServerRunTable, listedAt: number, ...servers: readonly Server[]): Promise<void> {
    await note(table, createSection(servers, { listedAt }));
  }

  async function note(table: ServerRunTable, section: ServerSection): Promise<void> {
    const list = seenList(section);
    assert.ok(list);
    await table.note(list);
  }

  /** Lists the server in this state every five minutes. */
  async function watch(
    table: ServerRunTable,
    [from, to]: readonly [number, number],
    server: Server,
    status: ServerStatus = "running",
  ): Promise<void> {
    for (let time = from; time <= to; time += 5 * minute) await list(table, time, { ...server, status });
  }

  async function spent(
    table: ServerRunTable,
    since = utcPeriods(at("12:00")).day,
    until = since + 24 * hour,
  ): Promise<ServerSpending> {
    return rounded(sumSpending(spendingByDay(await table.read(since), since, until)));
  }

  it("comes to the price of the hours that a server ran on a day on which it was stopped and started", async () => {
    const table = open();
    const server = createServer("a", priced("a", 24));
    await watch(table, [at("08:00"), at("10:00")], server);
    await watch(table, [at("10:05"), at("12:00")], server, "stopped");
    await watch(table, [at("12:05"), at("13:35")], server);
    const { observed, estimated, runningMs } = await spent(table);
    // 08:00 to 10:05 and 12:05 to 13:35: until a list shows something else, the last one counts.
    assert.deepEqual(observed, [{ amount: 24 * (3 + 35 / 60), currency: "USD" }]);
    assert.deepEqual(estimated, []);
    assert.equal(runningMs, 3 * hour + 35 * minute);
  });

  it("is never added across currencies, and time without a price is counted as such", async () => {
    const table = open();
    const servers = [
      createServer("a", priced("a", 24)),
      createServer("b", priced("b", 32, "EUR")),
      createServer("c", priced("c", 3.2, "")),
      createServer("d"),
    ];
    for (let time = at("08:00"); time <= at("10:00"); time += 5 * minute) await list(table, time, ...servers);
    const { observed, unpricedMs } = await spent(table);
    assert.deepEqual(observed, [
      { amount: 48, currency: "USD" },
      { amount: 64, currency: "EUR" },
      { amount: 6.4, currency: "" },
    ]);
    assert.equal(unpricedMs, 2 * hour);
  });

  it("is an estimate for the hours in which the laptop slept and the server seems to have run", async () => {
    const table = open();
    const server = createServer("a", priced("a", 10));
    await watch(table, [at("08:00"), at("09:00")], server);
    await watch(table, [at("14:00"), at("15:00")], server);
    const { observed, estimated, gapMs } = await spent(table);
    assert.deepEqual(observed, [{ amount: 20, currency: "USD" }]);
    assert.deepEqual(estimated, [{ amount: 50, currency: "USD" }]);
    assert.equal(gapMs, 0);
  });

  it("isn't known for the hours in which the laptop slept and the server was stopped", async () => {
    const table = open();
    const server = createServer("a", priced("a", 10));
    await watch(table, [at("08:00"), at("09:00")], server);
    await watch(table, [at("14:00"), at("15:00")], server, "stopped");
    const { observed, estimated, gapMs } = await spent(table);
    assert.deepEqual(observed, [{ amount: 10, currency: "USD" }]);
    assert.deepEqual(estimated, []);
    assert.equal(gapMs, 5 * hour);
  });

  it("is an estimate since the record's own start, both before the first list and within a gap", async () => {
    const table = open();
    const started = (time: string): Server => ({
      ...createServer("a", priced("a", 10)),
      startedAt: { value: new Date(at(time)).toISOString(), source: "started" },
    });
    await watch(table, [at("06:00"), at("07:00")], started("04:00"));
    await watch(table, [at("12:00"), at("13:00")], started("11:00"));
    const { observed, estimated, gapMs } = await spent(table);
    assert.deepEqual(observed, [{ amount: 20, currency: "USD" }]);
    assert.deepEqual(estimated, [{ amount: 30, currency: "USD" }]);
    assert.equal(gapMs, 4 * hour);
  });

  it("isn't assumed before the first list if only the creation is known", async () => {
    const table = open();
    const createdAt = { value: new Date(at("00:00")).toISOString(), source: "created" };
    await watch(table, [at("06:00"), at("07:00")], { ...createServer("a", priced("a", 10)), createdAt });
    const { observed, estimated } = await spent(table);
    assert.deepEqual([observed, estimated], [[{ amount: 10, currency: "USD" }], []]);
  });

  it("is entered once by several windows that request the list in turn", async () => {
    const [left, right] = [open(), open()];
    const server = createServer("a", priced("a", 10));
    for (let time = at("08:00"); time < at("10:00"); time += 2 * minute) {
      await list(left, time, server);
      await list(right, time + minute, server);
      // A response that was on its way for longer than that of another window.
      await list(left, time + minute - 1, { ...server, status: "stopped" });
    }
    await list(left, at("10:00"), server);
    assert.deepEqual((await spent(right)).observed, [{ amount: 20, currency: "USD" }]);
    assert.equal((await left.read(0)).length, 1);
  });

  it("outlives a window that was killed, and goes on with the next list of another window", async () => {
    const server = createServer("a", priced("a", 10));
    await watch(open(), [at("08:00"), at("09:00")], server);
    await watch(open(), [at("09:05"), at("10:00")], server);
    assert.deepEqual((await spent(open())).observed, [{ amount: 20, currency: "USD" }]);
  });

  it("is divided at midnight in UTC, also on the day on which clocks change", async () => {
    const table = open();
    const [from, to] = [Date.UTC(2026, 9, 24, 20), Date.UTC(2026, 9, 26, 2)];
    await watch(table, [from, to], createServer("a", priced("a", 1)));
    const days = spendingByDay(await table.read(0), 0, to);
    assert.deepEqual(
      days.map(({ at: day, observed }) => [new Date(day).toISOString(), observed[0]?.amount]),
      [
        ["2026-10-24T00:00:00.000Z", 4],
        ["2026-10-25T00:00:00.000Z", 24],
        ["2026-10-26T00:00:00.000Z", 2],
      ],
    );
  });

  it("is an estimate for the time before a price was set", async () => {
    const table = open();
    await watch(table, [at("08:00"), at("09:00")], createServer("a"));
    await watch(table, [at("09:05"), at("10:05")], createServer("a", priced("a", 10)));
    const { observed, estimated, unpricedMs } = await spent(table);
    assert.deepEqual(observed, [{ amount: 10, currency: "USD" }]);
    assert.deepEqual(estimated, [{ amount: 10.8333, currency: "USD" }]);
    assert.equal(unpricedMs, 0);
  });

  it("survives a clock that was years ahead or behind for a while", async () => {
    const table = open();
    const server = createServer("a", priced("a", 10));
    await watch(table, [at("08:00"), at("09:00")], server);
    await list(table, Date.UTC(2031, 1), server);
    await list(table, Date.UTC(2020, 1), server);
    await watch(table, [at("09:05"), at("10:00")], server);
    const { observed, estimated } = await spent(table);
    assert.deepEqual(
      [...observed, ...estimated].reduce((sum, { amount }) => sum + amount, 0),
      20,
    );
  });

  it("doesn't shrink because the clock was hours ahead for a while", async () => {
    const table = open();
    const server = createServer("a", priced("a", 24));
    await watch(table, [at("08:00"), at("09:00")], server);
    await list(table, at("19:00"), server);
    await watch(table, [at("09:05"), at("10:00")], server);
    const { observed, estimated } = await spent(table, undefined, at("10:00"));
    const sum = [...observed, ...estimated].reduce((all, { amount }) => all + amount, 0);
    assert.equal(sum, 48);
  });

  it("changes its price from the list on that shows the new one", async () => {
    const table = open();
    await watch(table, [at("08:00"), at("09:55")], createServer("a", priced("a", 24)));
    await watch(table, [at("10:00"), at("11:00")], createServer("a", priced("a", 30)));
    await watch(table, [at("11:05"), at("12:00")], createServer("a", priced("a", 20, "EUR")));
    const { observed, estimated, unpricedMs } = await spent(table);
    // 24 dollars for two hours and 30 dollars until 11:05, then euros.
    assert.deepEqual(observed, [
      { amount: 24 * 2 + 30 * (65 / 60), currency: "USD" },
      { amount: Number((20 * (55 / 60)).toFixed(4)), currency: "EUR" },
    ]);
    assert.deepEqual([estimated, unpricedMs], [[], 0]);
  });

  it("ends with the list that a server has left, and isn't assumed for the time until it returns", async () => {
    const table = open();
    const [gone, other] = [createServer("a", priced("a", 24)), createServer("b", priced("b", 1))];
    await watch(table, [at("08:00"), at("09:00")], gone);
    await watch(table, [at("09:05"), at("13:00")], other);
    await watch(table, [at("13:05"), at("14:05")], gone);
    const { observed, estimated, gapMs } = await spent(table);
    // One server from 08:00 to 09:05 and from 13:05 to 14:05, the other one from 09:05 to 13:05.
    assert.deepEqual(observed, [{ amount: 24 * (125 / 60) + 4, currency: "USD" }]);
    assert.deepEqual([estimated, gapMs], [[], 4 * hour]);
  });

  it("isn't known after the last list that shows a server if it is gone when the laptop wakes up", async () => {
    const table = open();
    await watch(table, [at("08:00"), at("09:00")], createServer("a", priced("a", 24)));
    for (const time of ["14:00", "14:05", "16:00"]) await list(table, at(time));
    const { observed, estimated, gapMs } = await spent(table);
    assert.deepEqual([observed, estimated], [[{ amount: 24, currency: "USD" }], []]);
    assert.equal(gapMs, 5 * hour);
  });

  it("goes on for servers that a list leaves out because it isn't complete", async () => {
    const table = open();
    const server = createServer("a", priced("a", 24));
    await list(table, at("08:00"), server);
    await note(table, createSection([], { listedAt: at("08:05"), hasMore: true }));
    await list(table, at("08:10"), server);
    assert.deepEqual((await spent(table)).observed, [{ amount: 4, currency: "USD" }]);
  });

  for (const time of ["10:00", "00:00"])
    it(`isn't nothing if a single list, at ${time}, has shown it without a price`, async () => {
      const table = open();
      await list(table, at(time), createServer("a"));
      const runs = await table.read(at(time) - 1);
      const now = at(time) + hour;
      const view = costsView({ runs, requests: [], now }, { period: "today", group: "server" });
      assert.deepEqual(view.table?.rows[0]?.slice(0, 2), ["name-a", "unknown"]);
      assert.equal(view.missing[0], "1 server without a price: name-a");
    });
});

function rounded({ observed, estimated, ...rest }: ServerSpending): ServerSpending {
  const round = (costs: ServerSpending["observed"]) =>
    costs.map(({ amount, currency }) => ({ amount: Number(amount.toFixed(4)), currency }));
  return { observed: round(observed), estimated: round(estimated), ...rest };
}
