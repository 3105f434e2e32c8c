import assert from "node:assert/strict";
import type { UsePoint } from "../../../src/core/servers/gpu/serverUse.ts";
import { ServerUseTable } from "../../../src/storage/records/serverUseTable.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse("2026-11-24T08:00Z");

function pointAt(at: number, parts: Partial<UsePoint> = {}): UsePoint {
  return {
    ...{ at, since: start, kind: "idle", percent: 0.5, memoryPercent: undefined },
    ...{ requests: undefined, hasProcesses: true, ...parts },
  };
}

describe("What was measured on servers", () => {
  let folder: RecordsFolder;
  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  const open = (): ServerUseTable => new ServerUseTable(folder.open());

  it("is there for the next window, with what wasn't known as unknown", async () => {
    const points = [
      pointAt(start, { requests: "123 45", memoryPercent: 90, kind: "serving" }),
      pointAt(start + 5 * minute, { percent: undefined, hasProcesses: false, kind: "unreachable" }),
    ];
    for (const point of points) await open().note("Lab", "a", point);
    assert.deepEqual(await open().read("Lab", "a", 0), points);
    assert.deepEqual(await open().read("Lab", "a", start), points.slice(1));
    assert.deepEqual(await open().read("Lab", "b", 0), []);
    assert.deepEqual(await open().read("Other", "a", 0), []);
  });

  it("is one row for every five minutes of the last day, whatever the clock does", async () => {
    const table = open();
    for (let at = start; at <= start + 30 * hour; at += minute) await table.note("Lab", "a", pointAt(at));
    const points = await table.read("Lab", "a", 0);
    // Of each slot, the latest.
    assert.deepEqual(
      points.map(({ at }) => at - start - 6 * hour),
      [...Array.from({ length: 24 * 12 }, (_, slot) => slot * 5 * minute + 4 * minute), 24 * hour],
    );
    // A clock that was years ahead leaves nothing that would count as the latest.
    await table.note("Lab", "a", pointAt(start + 40_000 * hour));
    await table.note("Lab", "a", pointAt(start + 30 * hour));
    assert.deepEqual(
      (await table.read("Lab", "a", 0)).map(({ at }) => at),
      [start + 30 * hour],
    );
  });

  it("is bounded however many servers are watched", async () => {
    const table = open();
    await table.note("Lab", "a", pointAt(start));
    const database = folder.openDatabase();
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 31000)
      INSERT INTO server_use SELECT 'Lab', 'server ' || i, i, ${start} + i, 0, 'busy', NULL, NULL, NULL, 0 FROM n`);
    await table.note("Lab", "b", pointAt(start + minute));
    assert.deepEqual(
      { ...database.prepare("SELECT count(*) AS rows FROM server_use").get() },
      { rows: 30_000 },
    );
    assert.equal((await table.read("Lab", "b", 0)).length, 1);
  });

  it("leaves nothing of a profile after sign-out, and keeps that of others", async () => {
    const table = open();
    await table.note("Lab", "secret-server", pointAt(start));
    await table.note("Other", "b", pointAt(start));
    await table.forget("Lab");
    assert.deepEqual(await table.read("Lab", "secret-server", 0), []);
    assert.equal((await table.read("Other", "b", 0)).length, 1);
    folder.close();
    assert.deepEqual(folder.filesWith("secret-server"), []);
  });

  it("is unknown if a later version has entered a word that this one doesn't know", async () => {
    const table = open();
    await table.note("Lab", "a", pointAt(start));
    folder.openDatabase().exec("UPDATE server_use SET kind = 'resting', percent = NULL");
    const [point] = await table.read("Lab", "a", 0);
    assert.deepEqual([point?.kind, point?.percent], ["unknown", undefined]);
  });
});
