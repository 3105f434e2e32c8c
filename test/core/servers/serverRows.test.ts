import assert from "node:assert/strict";
import type { Server } from "../../../src/core/server.ts";
import type { ServerListSnapshot } from "../../../src/core/servers/serverListState.ts";
import { ServerRows } from "../../../src/core/servers/serverRows.ts";

const server = (key: string, region = "eu"): Server => ({
  key,
  id: { value: key, source: "id" },
  region: { value: region, source: "region" },
  status: "running",
  record: {},
});
const good = (...servers: Server[]): ServerListSnapshot => ({
  state: "ready",
  servers,
  isRefreshing: false,
  listedAt: 0,
  failures: 0,
});
const stale = (...servers: Server[]): ServerListSnapshot => ({
  ...good(...servers),
  failures: 1,
  error: { reason: "unreachable", message: "No connection." },
});

describe("ServerRows", () => {
  it("tells nothing where a refresh brought the same servers", () => {
    const rows = new ServerRows(() => 0);
    rows.update(good(server("a"), server("b")));
    assert.equal(rows.update(good(server("a"), server("b"))), "none");
  });

  it("keeps the row of a server that changed and names it", () => {
    const rows = new ServerRows(() => 0);
    rows.update(good(server("a"), server("b")));
    const before = rows.find("b");
    assert.deepEqual(rows.update(good(server("a"), server("b", "us"))), [before]);
    assert.equal(before?.server.region?.value, "us");
  });

  it("tells of a change of the list when a server comes, goes or moves", () => {
    const rows = new ServerRows(() => 0);
    assert.equal(rows.update(good(server("a"))), "list");
    assert.equal(rows.update(good(server("a"), server("b"))), "list");
    assert.equal(rows.update(good(server("b"), server("a"))), "list");
    assert.equal(rows.update(good(server("b"))), "list");
    assert.equal(rows.find("a"), undefined);
  });

  it("tells many changes at once as one of the list", () => {
    const rows = new ServerRows(() => 0);
    const keys = Array.from({ length: 500 }, (_, index) => String(index));
    rows.update(good(...keys.map((key) => server(key))));
    assert.equal(rows.update(good(...keys.map((key) => server(key, "us")))), "list");
  });

  it("puts a notice with the error and the age above stale rows", () => {
    const rows = new ServerRows(() => 180_000);
    rows.update(good(server("a")));
    assert.equal(rows.update(stale(server("a"))), "list");
    assert.deepEqual(rows.all[0], { kind: "notice", message: "No connection.", age: "3 minutes" });
    assert.match(rows.servers[0]?.staleSince ?? "", /^\d\d:\d\d$/);
  });

  it("tells of the notice alone when only the age of the rows has changed", () => {
    let now = 0;
    const rows = new ServerRows(() => now);
    rows.update(stale(server("a")));
    now = 60_000;
    assert.deepEqual(rows.update(stale(server("a"))), [rows.all[0]]);
  });

  it("takes the notice away with the next good answer", () => {
    const rows = new ServerRows(() => 0);
    rows.update(stale(server("a")));
    rows.update(good(server("a")));
    assert.deepEqual([rows.all.length, rows.servers[0]?.staleSince], [1, undefined]);
  });

  it("leaves a failure without rows to the welcome content", () => {
    const rows = new ServerRows(() => 0);
    rows.update({ ...stale(), state: "failed" });
    assert.deepEqual(rows.all, []);
  });
});
