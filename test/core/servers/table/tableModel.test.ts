import assert from "node:assert/strict";
import { arrangeServers, plainArrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import type { Server } from "../../../../src/core/servers/server.ts";
import { localGatewayProfileName } from "../../../../src/core/account/localGateway/localGateway.ts";
import { TableModel } from "../../../../src/core/servers/table/tableModel.ts";
import type { MeasuredOf } from "../../../../src/core/servers/table/tableModel.ts";
import type { ToTable } from "../../../../src/core/servers/table/tableProtocol.ts";
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
  const rows = new Map<string, readonly (string | number)[]>();
  let order: readonly string[] = [];
  return {
    take(messages: readonly ToTable[]): void {
      const change = find(messages, "rows");
      for (const id of change?.gone ?? []) rows.delete(id);
      for (const { id, cells } of change?.put ?? []) rows.set(id, cells);
      order = change?.order ?? order;
    },
    get names() {
      return order.map((id) => rows.get(id)?.[0]);
    },
  };
}

const now = 1_800_000_000_000;
const begin = (
  sections: readonly ServerSection[],
  view: Parameters<TableModel["arrange"]>[0] = {},
  measuredOf?: MeasuredOf,
) => {
  const model = new TableModel(measuredOf);
  model.arrange(view);
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
    assert.deepEqual(page.names, ["name-a", "name-b", "name-c"]);
    model.arrange({ sort: { column: "name", isDescending: true } });
    page.take(model.update([createSection(servers)], now));
    assert.deepEqual(page.names, ["name-c", "name-b", "name-a"]);
    page.take(model.update([createSection([...servers.slice(0, 2), createServer("bb")])], now));
    assert.deepEqual(page.names, ["name-c", "name-bb", "name-a"]);
    model.arrange({ filter: "name:bb" });
    const filtered = model.update([createSection([...servers.slice(0, 2), createServer("bb")])], now);
    page.take(filtered);
    assert.deepEqual(page.names, ["name-bb"]);
    assert.deepEqual(find(filtered, "rows")?.put, []);
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

  it("never sorts by a field of the records, which may be a secret", () => {
    const servers = ["b", "a"].map((key) => createServer(key, { record: { token: key === "a" ? 2 : 1 } }));
    const page = createPage();
    page.take(begin([createSection(servers)], { sort: { column: "/token", isDescending: false } }).messages);
    assert.deepEqual(page.names, ["name-a", "name-b"]);
  });

  it("shows at most 2,000 servers, and says so", () => {
    const { messages, model } = begin([createSection(createServers(2_001))]);
    assert.equal(find(messages, "rows")?.order?.length, 2_000);
    assert.match(find(messages, "surroundings")?.notices[0]?.title ?? "", /first 2,000 servers/);
    assert.equal(model.count, 2_001);
    assert.equal(model.csv.split("\r\n").length, 2_003);
  });

  it("shows and sorts by what is measured, and sends only the row that has changed", () => {
    let use = 7;
    const cell = (value: number) => ({
      text: `${value} %`,
      order: value,
      plot: { stepMs: 60_000, values: [value, undefined, 50] },
    });
    const measuredOf: MeasuredOf = (_, { key }) =>
      key === "c" ? undefined : { use: cell(key === "a" ? 50 : use), history: cell(1) };
    const servers = ["a", "b", "c"].map((key) => createServer(key));
    const view = { sort: { column: "use", isDescending: false } };
    const { model, messages } = begin([createSection(servers)], view, measuredOf);
    const page = createPage();
    page.take(messages);
    assert.deepEqual(page.names, ["name-b", "name-a", "name-c"]);
    assert.deepEqual(columnIds(messages), ["name", "status", "use", "history"]);
    assert.deepEqual(find(messages, "rows")?.put[0]?.plot?.values, [1, null, 50]);
    use = 60;
    const changes = model.update([createSection(servers)], now);
    assert.deepEqual(
      find(changes, "rows")?.put.map(({ cells }) => cells[2]),
      ["60 %"],
    );
    page.take(changes);
    assert.deepEqual(page.names, ["name-a", "name-b", "name-c"]);
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
  });

  it("sorts times by age", () => {
    const servers = [2, 0, 1].map((hours) =>
      createServer(String(hours), {
        createdAt: { value: new Date(now - hours * 3_600_000).toISOString(), source: "x" },
      }),
    );
    const page = createPage();
    page.take(begin([createSection(servers)], { sort: { column: "created", isDescending: false } }).messages);
    assert.deepEqual(page.names, ["name-0", "name-1", "name-2"]);
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
      const view = { sort: { column: "gpu", isDescending } };
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
    const { notices = [], known } = find(old, "surroundings") ?? {};
    assert.equal(known, 3);
    assert.match(String(find(old, "rows")?.put[2]?.staleSince), /^\d\d:\d\d$/);
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
});
