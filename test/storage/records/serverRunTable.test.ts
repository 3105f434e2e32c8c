import assert from "node:assert/strict";
import { sightingsOf } from "../../../src/core/servers/cost/serverRun.ts";
import { spendingByDay, sumSpending, utcPeriods } from "../../../src/core/servers/cost/serverSpending.ts";
import type { ServerSpending } from "../../../src/core/servers/cost/serverSpending.ts";
import type { Server, ServerStatus } from "../../../src/core/servers/server.ts";
import { writePrice } from "../../../src/core/servers/serverPrice.ts";
import { ServerRunTable } from "../../../src/storage/records/serverRunTable.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";
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
    await table.note(sightingsOf(createSection(servers, { listedAt })));
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
});

function rounded({ observed, estimated, ...rest }: ServerSpending): ServerSpending {
  const round = (costs: ServerSpending["observed"]) =>
    costs.map(({ amount, currency }) => ({ amount: Number(amount.toFixed(4)), currency }));
  return { observed: round(observed), estimated: round(estimated), ...rest };
}
