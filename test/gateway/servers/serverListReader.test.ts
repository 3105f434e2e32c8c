import assert from "node:assert/strict";
import { serverDetails } from "../../../src/core/servers/details/serverDetails.ts";
import { ServerListReader } from "../../../src/gateway/servers/readServerList.ts";
import { readServerList } from "../../support/readServerList.ts";

const records = (count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `srv-${index}`,
    name: `n"${index}]`,
    status: "running",
  }));
const reply = (servers: readonly unknown[], request = "a"): string =>
  JSON.stringify({ request_id: request, data: { servers, total: servers.length + 1 } });

/** Reads these texts one after the other and compares each result with that of a reader without memory. */
function assertSame(...texts: readonly string[]): void {
  const reader = new ServerListReader();
  for (const text of texts) {
    assert.deepEqual(readServerList(text, {}, reader), readServerList(text), text.slice(0, 200));
  }
}

describe("ServerListReader", () => {
  it("keeps the objects of the servers whose records did not change", () => {
    const reader = new ServerListReader();
    const before = readServerList(reply(records(5)), {}, reader);
    const changed = records(5).with(2, { id: "srv-2", name: "other", status: "error" });
    const after = readServerList(reply(changed, "another request"), {}, reader);
    assert.deepEqual(
      after.servers.map((server, index) => server === before.servers[index]),
      [true, true, false, true, true],
    );
    assert.deepEqual(after, readServerList(reply(changed)));
  });

  it("recognizes records in a different order", () => {
    const reader = new ServerListReader();
    const before = readServerList(reply(records(100)), {}, reader);
    const shuffled = records(100).toSorted((first, second) =>
      String(first["id"]) < String(second["id"]) ? 1 : -1,
    );
    const after = readServerList(reply(shuffled), {}, reader);
    const known = new Set(before.servers);
    assert.ok(after.servers.filter((server) => known.has(server)).length >= 70);
    assert.deepEqual(after, readServerList(reply(shuffled)));
  });

  it("returns the same list object for the same text", () => {
    const reader = new ServerListReader();
    assert.equal(
      readServerList(reply(records(2)), {}, reader),
      readServerList(reply(records(2)), {}, reader),
    );
  });

  it("handles added, removed and moved servers like a full parse", () => {
    const all = records(6);
    assertSame(
      reply(all),
      reply(all.slice(1)),
      reply([{ id: "new" }, ...all]),
      reply(all.toReversed()),
      reply([]),
    );
  });

  it("reads the facts of earlier lists as they were mapped then, whenever they are used", () => {
    const text = reply([{ id: "a", here: "Oslo", there: "Rome", card: "H100", chip: "L4" }]);
    const reader = new ServerListReader();
    const [before] = readServerList(text, { region: ["here"], gpu: ["card"] }, reader).servers;
    const [after] = readServerList(text, { region: ["there"], gpu: ["chip"] }, reader).servers;
    assert.deepEqual([after?.region?.value, after?.gpu?.value], ["Rome", "L4"]);
    assert.deepEqual([before?.region?.value, before?.gpu?.value], ["Oslo", "H100"]);
  });

  it("gives servers with the same ID or without an ID the same keys as a full parse", () => {
    const twins = [{ id: "a", status: "on" }, { id: "a", status: "on" }, { status: "on" }, { status: "on" }];
    assertSame(reply(twins), reply(twins.slice(1)), reply([{ status: "off" }, ...twins]));
  });

  it("handles a response with a different structure", () => {
    const servers = records(3);
    const other = JSON.stringify({ instances: servers, images: [{ id: 1, name: "image" }] });
    assertSame(reply(servers), JSON.stringify(servers), other, reply(servers), `{"data":{"servers":null}}`);
  });

  it("handles a field that appears twice in a response", () => {
    const [first, second] = [JSON.stringify(records(3)), JSON.stringify(records(2))];
    assertSame(`{"servers":${first}}`, `{"servers":${first},"servers":${second}}`);
  });

  it("applies a changed field mapping", () => {
    const reader = new ServerListReader();
    readServerList(reply(records(2)), {}, reader);
    assert.equal(
      readServerList(reply(records(2)), { name: ["/status"] }, reader).servers[0]?.name?.value,
      "running",
    );
  });

  it("reads the currency beside the list, whose prices have none, and notices when it changes", () => {
    const list = { currency: "INR", instances: [{ id: "j1", status: "Running", price_per_hour: 100 }] };
    const reader = new ServerListReader();
    const [server] = readServerList(JSON.stringify(list), {}, reader).servers;
    assert.deepEqual(server?.price, { value: "100 INR per hour", source: "price_per_hour" });
    assert.ok(server !== undefined);
    const row = {
      kind: "server",
      id: "r",
      key: "j1",
      profileName: "p",
      server,
      mark: undefined,
      staleSince: undefined,
    } as const;
    assert.match(serverDetails(row), /\| Price \| ₹100\\\.00\\\/h \|/);
    const [changed] = readServerList(JSON.stringify({ ...list, currency: "THB" }), {}, reader).servers;
    assert.equal(changed?.price?.value, "100 THB per hour");
  });
});
