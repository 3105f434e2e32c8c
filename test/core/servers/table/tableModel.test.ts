import assert from "node:assert/strict";
import { arrangeServers, plainArrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import type { Server } from "../../../../src/core/servers/server.ts";
import { localGatewayProfileName } from "../../../../src/core/account/localGateway/localGateway.ts";
import { offeredColumns } from "../../../../src/core/servers/table/columns.ts";
import { TableModel } from "../../../../src/core/servers/table/tableModel.ts";
import type { ToTable } from "../../../../src/core/servers/table/tableProtocol.ts";
import type { TableView } from "../../../../src/core/servers/table/tableView.ts";
import type { ServerSection } from "../../../../src/core/servers/tree/rows.ts";
import { createSection, createServer, createServers } from "../../../support/serverSections.ts";

type Message<Type extends ToTable["type"]> = Extract<ToTable, { type: Type }>;

function find<Type extends ToTable["type"]>(
  messages: readonly ToTable[],
  type: Type,
): Message<Type> | undefined {
  return messages.find((message): message is Message<Type> => message.type === type);
}

/** The first cells of the rows that are shown, as a page would have them after these messages. */
function createPage() {
  const rows = new Map<number, readonly (string | number)[]>();
  let order: readonly number[] = [];
  return {
    take(messages: readonly ToTable[]): void {
      const change = find(messages, "rows");
      for (const handle of change?.gone ?? []) rows.delete(handle);
      for (const { handle, cells } of change?.put ?? []) rows.set(handle, cells);
      order = change?.order ?? order;
    },
    get names() {
      return order.map((handle) => rows.get(handle)?.[0]);
    },
  };
}

const now = 1_800_000_000_000;
const begin = (sections: readonly ServerSection[], view: TableView = { filter: "" }) => {
  const model = new TableModel(view);
  return { model, messages: model.begin(sections, now) };
};
const columnIds = (messages: readonly ToTable[]) => find(messages, "view")?.columns.map(({ id }) => id);

describe("The server table model", () => {
  it("sends a new page everything, and after that only changes", () => {
    const servers = createServers(100);
    const { model, messages } = begin([createSection(servers)]);
    assert.equal(find(messages, "rows")?.put.length, 100);
    assert.deepEqual(model.update([createSection(servers)], now), []);
    const [first, ...others] = servers;
    const changed: readonly Server[] = [{ ...(first ?? createServer("x")), status: "error" }, ...others];
    const again = find(model.update([createSection(changed)], now), "rows");
    assert.deepEqual(
      again?.put.map(({ status }) => status),
      ["error"],
    );
    assert.equal(again?.order, undefined);
  });

  it("sends nothing if only an invisible part of a record changed", () => {
    const { model } = begin([createSection([createServer("1", { record: { a: 1 } })])]);
    assert.deepEqual(model.update([createSection([createServer("1", { record: { a: 2 } })])], now), []);
  });

  it("sorts, filters and follows servers as they are added, removed and changed", () => {
    const page = createPage();
    const servers = ["c", "a", "b"].map((key) => createServer(key));
    const { model, messages } = begin([createSection(servers)]);
    page.take(messages);
    assert.deepEqual(page.names, ["name-c", "name-a", "name-b"]);
    model.sort({ column: "name", isDescending: true });
    page.take(model.update([createSection(servers)], now));
    assert.deepEqual(page.names, ["name-c", "name-b", "name-a"]);
    page.take(model.update([createSection([...servers.slice(0, 2), createServer("bb")])], now));
    assert.deepEqual(page.names, ["name-c", "name-bb", "name-a"]);
    model.filter("name:bb");
    const filtered = model.update([createSection([...servers.slice(0, 2), createServer("bb")])], now);
    page.take(filtered);
    assert.deepEqual(page.names, ["name-bb"]);
    assert.deepEqual(find(filtered, "rows")?.put, []);
  });

  it("reuses the handle of a server that reappears", () => {
    const { model, messages } = begin([createSection([createServer("a"), createServer("b")])]);
    const handle = find(messages, "rows")?.put[0]?.handle ?? -1;
    model.update([createSection([createServer("b")])], now);
    const back = find(model.update([createSection([createServer("a"), createServer("b")])], now), "rows");
    assert.deepEqual(
      back?.put.map((row) => row.handle),
      [handle],
    );
    assert.equal(model.idOf(handle), '["Lab","a"]');
  });

  it("shows the profile if there are several, and pinned servers first", () => {
    const marks = new Map([["b", { isPinned: true }]]);
    const lab = createSection([createServer("a"), createServer("b")], {}, { marks });
    const { messages } = begin([lab, createSection([createServer("a")], {}, { profileName: "Other" })]);
    const page = createPage();
    page.take(messages);
    assert.deepEqual(page.names, ["name-b", "name-a", "name-a"]);
    assert.deepEqual(columnIds(messages)?.slice(0, 3), ["name", "status", "profile"]);
  });

  it("offers columns that have values, and any field that isn't a secret", () => {
    const record = {
      created_at: "2026-06-05",
      price: { hourly: "1.20" },
      api_token: "planted-secret",
      env: [{ key: "DB_PASSWORD", value: "planted-secret" }],
      metadata: [{ key: "db_password", value: "planted-secret" }],
      url: "https://user:planted-secret@host/",
      ports: [{ public: 22 }],
    };
    const createdAt = { value: "2026-06-05T00:00:00.000Z", source: "created_at" };
    const sections = [createSection([createServer("a", { record, createdAt })])];
    const { messages } = begin(sections);
    assert.deepEqual(columnIds(messages), ["name", "status", "created"]);
    const offered = offeredColumns(sections);
    const fields = offered.map(({ id }) => id).filter((id) => id.startsWith("/"));
    assert.deepEqual(fields, ["/created_at", "/price/hourly", "/metadata/*/key", "/ports/*/public"]);
    assert.doesNotMatch(JSON.stringify(offered), /planted/);
    const all = ["/api_token", "/env", "/env/*/value", "/metadata/*/value", "/metadata", "/url", "/price"];
    const shown = begin(sections, { filter: "", columns: ["name", "id", ...all] });
    assert.doesNotMatch(JSON.stringify(shown.messages) + shown.model.csv, /planted/);
    assert.match(shown.model.csv, /1\.20/);
  });

  it("never removes a column automatically", () => {
    const createdAt = { value: "2026-06-05T00:00:00.000Z", source: "created_at" };
    const aged = createServer("a", { createdAt });
    const { model, messages } = begin([createSection([createServer("b")])]);
    assert.deepEqual(columnIds(messages), ["name", "status"]);
    const more = model.update([createSection([createServer("b"), aged])], now);
    assert.deepEqual(columnIds(more), ["name", "status", "created"]);
    const fewer = model.update([createSection([createServer("b")])], now);
    assert.equal(columnIds(fewer), undefined);
    assert.deepEqual(model.columns, ["name", "status", "created"]);
  });

  it("sorts amounts by value and times by age", () => {
    const prices = ["$12.50", "0.9", "$1.20", ""];
    const servers = prices.map((price, index) =>
      createServer(String(index), { record: { price, created_at: now / 1_000 - index * 60 } }),
    );
    const namesBy = (column: string) => {
      const page = createPage();
      const view = { filter: "", columns: ["name"], sort: { column, isDescending: false } };
      page.take(begin([createSection(servers)], view).messages);
      return page.names;
    };
    assert.deepEqual(namesBy("/price"), ["name-1", "name-2", "name-0", "name-3"]);
    assert.deepEqual(namesBy("age"), ["name-0", "name-1", "name-2", "name-3"]);
  });

  it("sorts GPUs by model, and those of the same model by count", () => {
    const machine = (name: string, model: string, count: string) => ({
      ...createServer(name),
      gpu: { value: `${count}x ${model}`, source: "gpu" },
      gpuModel: { value: model, source: "gpu" },
      gpuCount: { value: count, source: "gpu" },
    });
    const servers = [
      machine("sixteen", "H100", "16"),
      machine("eight", "H100", "8"),
      machine("other", "A100", "2"),
      machine("one", "H100", "1"),
    ];
    const order = (isDescending: boolean): readonly unknown[] => {
      const page = createPage();
      const view = { filter: "", sort: { column: "gpu", isDescending } };
      page.take(begin([createSection(servers)], view).messages);
      return page.names;
    };
    assert.deepEqual(order(false), ["name-other", "name-one", "name-eight", "name-sixteen"]);
    assert.deepEqual(order(true), ["name-sixteen", "name-eight", "name-one", "name-other"]);
    const rows = servers.map((server, position) => ({ server, profileName: "", mark: undefined, position }));
    const sorted = arrangeServers(rows, { ...plainArrangement, sortBy: "gpu" }, now);
    assert.deepEqual(
      sorted.map(({ server }) => server.name?.value),
      ["name-other", "name-one", "name-eight", "name-sixteen"],
    );
  });

  it("keeps the last loaded rows with their age, and offers a fix", () => {
    const servers = createServers(3);
    const { model } = begin([createSection(servers)]);
    const error = { reason: "unreachable", message: "Not reached." } as const;
    const old = model.update(
      [createSection(servers, { error, listedAt: now - 60_000 }, { nextTryAt: now })],
      now,
    );
    assert.equal(find(old, "rows"), undefined);
    const { notices = [], profiles = [], known } = find(old, "surroundings") ?? {};
    assert.equal(known, 3);
    assert.match(String(profiles[0]?.staleSince), /^\d\d:\d\d$/);
    assert.deepEqual(
      notices.map(({ title, actions, listedAt }) => ({ title, actions, listedAt })),
      [{ title: "Couldn't refresh", actions: ["refresh", "diagnose"], listedAt: now - 60_000 }],
    );
  });

  it("explains what is missing if there are no servers", () => {
    const say = (section: ServerSection) =>
      find(begin([section]).messages, "surroundings")?.notices.map(({ title, actions }) => [
        title,
        ...actions,
      ]);
    const signedOut = (credential?: "accessKey") =>
      ({
        state: "signedOut",
        error: {
          reason: "missingCredential",
          message: "",
          ...(credential === undefined ? {} : { credential }),
        },
      }) as const;
    assert.deepEqual(say(createSection([], signedOut("accessKey"))), [["Not signed in", "setAccessKey"]]);
    assert.deepEqual(say(createSection([], signedOut(), { profileName: "" })), [
      ["There is no profile yet", "addProfile", "startLocalGateway"],
    ]);
    assert.deepEqual(say(createSection([])), [["No servers", "refresh"]]);
    assert.deepEqual(say(createSection([], { state: "loading" })), [["Listing the servers…"]]);
    const refused = { reason: "signature", message: "Refused." } as const;
    assert.deepEqual(say(createSection([], { state: "failed", error: refused })), [
      ["Couldn't list the servers", "setAccessKey", "refresh", "diagnose"],
    ]);
    const stopped = { reason: "unreachable", message: "" } as const;
    const local = { profileName: localGatewayProfileName };
    assert.deepEqual(say(createSection([], { state: "failed", error: stopped }, local)), [
      ["Couldn't list the servers", "startLocalGateway", "refresh", "diagnose"],
    ]);
    const hidden = begin([createSection(createServers(2))], { filter: "nothing-like-it" }).messages;
    assert.deepEqual(find(hidden, "surroundings")?.notices[0]?.actions, ["clearFilter"]);
  });

  it("starts on the server that was selected in an earlier session", () => {
    const sections = [createSection(createServers(3))];
    const { messages } = begin(sections, { filter: "", selected: '["Lab","srv-1"]' });
    const handle = find(messages, "select")?.handle ?? -1;
    assert.equal(begin(sections).model.idOf(handle), '["Lab","srv-1"]');
    const { model } = begin(sections);
    assert.deepEqual(find(model.select(2), "keep")?.view, { filter: "", selected: '["Lab","srv-2"]' });
  });
});
