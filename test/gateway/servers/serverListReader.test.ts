import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import type { ServerList } from "../../../src/core/servers/server.ts";
import { readServerList } from "../../../src/gateway/servers/readServerList.ts";
import { ServerListReader } from "../../../src/gateway/servers/serverListReader.ts";
import { withSlowClock } from "../../support/slowClock.ts";
import { factsOf, listFacts } from "./factsOf.ts";

const lists = new URL("../../fixtures/server-lists/", import.meta.url);
const files = readdirSync(lists).filter((file) => file.endsWith(".json") && file !== "expected.json");

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
    assert.deepEqual(listFacts(reader.read(text)), listFacts(readServerList(text)), text.slice(0, 200));
  }
}

describe("ServerListReader", () => {
  it("parses only the records that changed and reuses the other objects", () => {
    const reader = new ServerListReader();
    const before = reader.read(reply(records(5)));
    const changed = records(5).with(2, { id: "srv-2", name: "other", status: "error" });
    const after = reader.read(reply(changed, "another request"));
    assert.deepEqual(
      after.servers.map((server, index) => server === before.servers[index]),
      [true, true, false, true, true],
    );
    assert.deepEqual(listFacts(after), listFacts(readServerList(reply(changed))));
  });

  it("recognizes records in a different order", () => {
    const reader = new ServerListReader();
    const before = reader.read(reply(records(100)));
    const shuffled = records(100).toSorted((first, second) =>
      String(first["id"]) < String(second["id"]) ? 1 : -1,
    );
    const after = reader.read(reply(shuffled));
    const known = new Set(before.servers);
    assert.ok(after.servers.filter((server) => known.has(server)).length >= 70);
    assert.deepEqual(listFacts(after), listFacts(readServerList(reply(shuffled))));
  });

  for (const file of files) {
    it(`reads ${file} in slices as it does at once`, async () => {
      const text = readFileSync(new URL(file, lists), "utf8");
      const outcome = async (read: () => ServerList | Promise<ServerList>): Promise<unknown> => {
        try {
          return listFacts(await read());
        } catch (error) {
          return String(error);
        }
      };
      const reader = new ServerListReader();
      const sliced = await outcome(() => reader.readInSlices(text));
      assert.deepEqual(sliced, await outcome(() => readServerList(text)));
      assert.deepEqual(await outcome(() => reader.readInSlices(text)), sliced);
    });
  }

  it("lets other work run while it reads the first list of many servers, and stops when it is canceled", async () => {
    const text = reply(records(3_000));
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const list = await withSlowClock(() => new ServerListReader().readInSlices(text));
    isReading = false;
    assert.deepEqual(listFacts(list), listFacts(readServerList(text)));
    assert.ok(turns > 50, `other work ran only ${turns} times`);
    const controller = new AbortController();
    const canceled = withSlowClock(() => new ServerListReader().readInSlices(text, {}, controller.signal));
    controller.abort();
    await assert.rejects(canceled, { name: "AbortError" });
  });

  it("returns the same list object for the same text", () => {
    const reader = new ServerListReader();
    assert.equal(reader.read(reply(records(2))), reader.read(reply(records(2))));
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

  it("reads each fact once, however often it is used", () => {
    const gpu = "2x H100";
    const [server] = new ServerListReader().read(
      reply([{ id: "a", gpu, region: "eu", ip: "203.0.113.7" }]),
    ).servers;
    assert.ok(server !== undefined);
    const [first, second] = [factsOf(server), factsOf(server)];
    assert.deepEqual(
      [first.gpu?.value, first.region?.value, first.address?.value],
      [gpu, "eu", "203.0.113.7"],
    );
    for (const name of ["gpu", "gpuModel", "gpuCount", "region", "address"] as const) {
      assert.equal(first[name], second[name], name);
    }
  });

  it("reads the facts of earlier lists as they were mapped then, whenever they are used", () => {
    const text = reply([{ id: "a", here: "Oslo", there: "Rome", card: "H100", chip: "L4" }]);
    const reader = new ServerListReader();
    const [before] = reader.read(text, { region: ["here"], gpu: ["card"] }).servers;
    const [after] = reader.read(text, { region: ["there"], gpu: ["chip"] }).servers;
    assert.deepEqual([after?.region?.value, after?.gpu?.value], ["Rome", "L4"]);
    assert.deepEqual([before?.region?.value, before?.gpu?.value], ["Oslo", "H100"]);
  });

  it("keeps the facts of a server whose key changes, and the key of the object that others still show", () => {
    const reader = new ServerListReader();
    const nameless = { status: "on", gpu: "L4", region: "eu" };
    const before = reader.read(reply([{ id: "a" }, nameless])).servers[1];
    const after = reader.read(reply([nameless])).servers[0];
    assert.deepEqual([before?.key, after?.key], ["#2", "#1"]);
    assert.ok(before !== undefined && after !== undefined);
    assert.deepEqual({ ...factsOf(after), key: "#2" }, factsOf(before));
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

  it("reports the same error for a broken response as a full parse", () => {
    const whole = reply(records(3));
    const broken = [
      whole.slice(0, -20),
      whole.replace("},{", "} {"),
      whole.replace("}]", "}}]"),
      whole.replace("}]", "},]"),
      whole.replace("[{", "[,{"),
      "",
      "[",
      "<html>",
    ];
    for (const text of broken) {
      const reader = new ServerListReader();
      reader.read(whole);
      const sentence = (read: () => ServerList): string => {
        try {
          return JSON.stringify(listFacts(read()));
        } catch (error) {
          return String(error);
        }
      };
      assert.equal(
        sentence(() => reader.read(text)),
        sentence(() => readServerList(text)),
        text,
      );
    }
  });

  it("applies a changed field mapping", () => {
    const reader = new ServerListReader();
    reader.read(reply(records(2)));
    assert.equal(reader.read(reply(records(2)), { name: ["/status"] }).servers[0]?.name?.value, "running");
  });

  for (const file of files) {
    it(`reads ${file} with any word changed like a full parse`, () => {
      const text = readFileSync(new URL(file, lists), "utf8");
      const words = [...text.matchAll(/"[a-z]{3,}"/gi)].filter((_, index) => index % 7 === 0);
      const changed = words.map(({ 0: word, index }) => {
        return `${text.slice(0, index)}"changed \\"word]"${text.slice(index + word.length)}`;
      });
      const reader = new ServerListReader();
      for (const reply of [text, ...changed, text]) {
        const outcome = (read: () => ServerList): unknown => {
          try {
            return listFacts(read());
          } catch (error) {
            return String(error);
          }
        };
        assert.deepEqual(
          outcome(() => reader.read(reply)),
          outcome(() => readServerList(reply)),
        );
      }
    });
  }
});
