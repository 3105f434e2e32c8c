import assert from "node:assert/strict";
import type { Server, ServerStatus } from "../../../../src/core/servers/server.ts";
import { plainArrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import type { Arrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import type { ServerAnnotation } from "../../../../src/core/servers/marks/serverAnnotation.ts";
import type { ServerListSnapshot } from "../../../../src/core/servers/serverListState.ts";
import { profileDescription } from "../../../../src/core/servers/tree/rowLabels.ts";
import { ServerTreeRows, childrenOf } from "../../../../src/core/servers/tree/serverTreeRows.ts";
import type { ServerSection, TreeRow, RowChange } from "../../../../src/core/servers/tree/rows.ts";

const server = (key: string, region = "eu", status: ServerStatus = "running"): Server => ({
  key,
  id: { value: key, source: "id" },
  region: { value: region, source: "region" },
  status,
  record: { tags: ["all", region] },
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
const section = (
  snapshot: ServerListSnapshot,
  profileName = "one",
  marks: Readonly<Record<string, ServerAnnotation>> = {},
): ServerSection => ({
  profileName,
  isActive: true,
  isProduction: false,
  color: undefined,
  host: "gateway.example",
  snapshot,
  marks: new Map(Object.entries(marks)),
  nextTryAt: undefined,
});

const expected = {
  kind: "start",
  name: "Start",
  doneWhen: [],
  requestedAt: 0,
  startedAt: "",
  hasLeft: false,
} as const;

/** A tree of profiles whose lists are controlled by the test. */
function createTree(arrangement: Partial<Arrangement> = {}): {
  readonly rows: ServerTreeRows;
  now: number;
  update(...sections: ServerSection[]): RowChange;
} {
  const clock = { now: 0 };
  const rows = new ServerTreeRows(() => clock.now);
  const tree = Object.assign(clock, {
    rows,
    update: (...sections: ServerSection[]) => rows.update(sections, { ...plainArrangement, ...arrangement }),
  });
  return tree;
}

/** The tree as text: server IDs, group names and profile names with the rows below them. */
function outline(rows: ServerTreeRows, below: readonly TreeRow[] = rows.roots): readonly unknown[] {
  return below.map((row) => {
    if (row.kind === "server") return row.key;
    if (row.kind === "notice" || row.kind === "gpu" || row.kind === "port") return `(${row.title})`;
    if (row.kind === "job") return `(${row.name})`;
    const name = row.kind === "group" ? row.name.label : row.section.profileName;
    return [name, ...outline(rows, childrenOf(row))];
  });
}

describe("Rows of the server tree", () => {
  it("report nothing if a refresh brings the same servers", () => {
    const tree = createTree();
    tree.update(section(good(server("a"), server("b"))));
    assert.equal(tree.update(section(good(server("a"), server("b")))), "none");
  });

  it("keep the row of a changed server and name it", () => {
    const tree = createTree();
    tree.update(section(good(server("a"), server("b"))));
    const before = tree.rows.find("one", "b");
    assert.deepEqual(tree.update(section(good(server("a"), server("b", "us")))), [before]);
    assert.equal(before?.server.region?.value, "us");
  });

  it("report a list change when a server is added, removed or moved", () => {
    const tree = createTree({ sortBy: "region" });
    assert.equal(tree.update(section(good(server("a")))), "list");
    assert.equal(tree.update(section(good(server("a"), server("b")))), "list");
    assert.equal(tree.update(section(good(server("a", "us"), server("b")))), "list");
    assert.equal(tree.update(section(good(server("b")))), "list");
    assert.equal(tree.rows.find("one", "a"), undefined);
  });

  it("report many changes at once as one list change", () => {
    const tree = createTree();
    const keys = Array.from({ length: 500 }, (_, index) => String(index));
    tree.update(section(good(...keys.map((key) => server(key)))));
    assert.equal(tree.update(section(good(...keys.map((key) => server(key, "us"))))), "list");
  });

  it("include a notice with the error, the age and the next attempt above outdated rows", () => {
    const tree = createTree();
    tree.now = 180_000;
    tree.update(section(good(server("a"))));
    assert.equal(tree.update({ ...section(stale(server("a"))), nextTryAt: 190_000 }), "list");
    const [notice] = tree.rows.roots;
    assert.ok(notice?.kind === "notice");
    assert.match(notice.text, /^3 minutes old · retrying at \d\d:03:10 · No connection\.$/);
    assert.match(tree.rows.servers[0]?.staleSince ?? "", /^\d\d:\d\d$/);
  });

  it("report only the notice when only the age has changed", () => {
    const tree = createTree();
    tree.update(section(stale(server("a"))));
    tree.now = 60_000;
    assert.deepEqual(tree.update(section(stale(server("a")))), [tree.rows.roots[0]]);
  });

  it("remove the notice after the next successful response", () => {
    const tree = createTree();
    tree.update(section(stale(server("a"))));
    tree.update(section(good(server("a"))));
    assert.deepEqual([tree.rows.roots.length, tree.rows.servers[0]?.staleSince], [1, undefined]);
  });

  it("leave a failure of the only profile to the welcome view", () => {
    const tree = createTree();
    tree.update(section({ ...stale(), state: "failed" }));
    assert.deepEqual(tree.rows.roots, []);
  });

  it("have one root per profile, with its own servers and errors", () => {
    const tree = createTree();
    tree.update(section(good(server("a"))), section({ ...stale(), state: "failed" }, "two"));
    assert.deepEqual(outline(tree.rows), [
      ["one", "a"],
      ["two", "(Couldn't list the servers)"],
    ]);
  });

  it("update only the root of the profile whose list has changed", () => {
    const tree = createTree();
    tree.update(section(good(server("a"))), section(good(server("a")), "two"));
    const change = tree.update(section(good(server("a"))), section(good(server("a"), server("b")), "two"));
    assert.deepEqual(change, [tree.rows.roots[1]]);
  });

  it("update the sum at a profile's root when a server costs something else", () => {
    const tree = createTree();
    const costing = (amount: number): ServerSection[] => [
      section(good({ ...server("a"), price: { value: `${amount} USD per hour`, source: "x" } })),
      section(good(server("a")), "two"),
    ];
    tree.update(...costing(2));
    const change = tree.update(...costing(3));
    const [root] = tree.rows.roots;
    assert.ok(root?.kind === "profile" && typeof change !== "string" && change.includes(root));
    assert.match(profileDescription(root), /\$3\.00\/h/);
    assert.equal(tree.update(...costing(3)), "none");
  });

  it("give the profile that becomes the active one another ID, so that it isn't kept folded", () => {
    const tree = createTree();
    const inactive = { ...section(good(server("a")), "two"), isActive: false };
    tree.update(section(good(), "one"), inactive);
    const ids = tree.rows.roots.map(({ id }) => id);
    const row = tree.rows.find("two", "a");
    assert.equal(tree.update(section(good(), "one"), { ...inactive, isActive: true }), "list");
    assert.deepEqual(
      tree.rows.roots.map(({ id }, index) => id === ids[index]),
      [true, false],
    );
    assert.equal(tree.rows.find("two", "a"), row);
  });

  it("have distinct IDs for servers with the same ID in two profiles", () => {
    const tree = createTree();
    tree.update(section(good(server("a"))), section(good(server("a")), "two"));
    const ids = tree.rows.servers.map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
  });

  it("hide what the filter doesn't match, and show what matches later", () => {
    const tree = createTree({ filter: "region:us" });
    tree.update(section(good(server("a"), server("b", "us"))));
    assert.deepEqual(outline(tree.rows), ["b"]);
    assert.equal(tree.update(section(good(server("a", "us"), server("b", "us")))), "list");
    assert.deepEqual(outline(tree.rows), ["a", "b"]);
  });

  it("report no change of a hidden server", () => {
    const tree = createTree({ filter: "region:us" });
    tree.update(section(good(server("a"), server("b", "us"))));
    assert.equal(tree.update(section(good(server("a", "asia"), server("b", "us")))), "none");
  });

  it("are grouped by status, with those that need attention first", () => {
    const tree = createTree({ groupBy: "status" });
    tree.update(section(good(server("a"), server("b", "eu", "error"), server("c"))));
    assert.deepEqual(outline(tree.rows), [
      ["Error", "b"],
      ["Running", "a", "c"],
    ]);
  });

  it("keep the row of a server that moves to another group", () => {
    const tree = createTree({ groupBy: "status" });
    tree.update(section(good(server("a"), server("b"))));
    const before = tree.rows.find("one", "a");
    assert.equal(tree.update(section(good(server("a", "eu", "stopped"), server("b")))), "list");
    assert.equal(tree.rows.find("one", "a"), before);
    assert.deepEqual(outline(tree.rows), [
      ["Running", "b"],
      ["Stopped", "a"],
    ]);
  });

  it("show a server with two tags under each of them, and update both when it changes", () => {
    const tree = createTree({ groupBy: "tag" });
    tree.update(section(good(server("a"))));
    assert.deepEqual(outline(tree.rows), [
      ["all", "a"],
      ["eu", "a"],
    ]);
    const changed = { ...server("a"), name: { value: "new", source: "name" } };
    const change = tree.update(section(good(changed)));
    assert.ok(Array.isArray(change));
    assert.equal(new Set(change.map(({ id }: TreeRow) => id)).size, 2);
  });

  it("stay where they are when the gateway lists them in another order", () => {
    const tree = createTree();
    tree.update(section(good(server("a"), server("b"))));
    assert.equal(tree.update(section(good(server("b"), server("a")))), "none");
    assert.deepEqual(outline(tree.rows), ["a", "b"]);
  });

  it("are sorted by name in natural order, with pinned ones first", () => {
    const tree = createTree();
    const servers = [server("n10"), server("n9"), server("n1")];
    tree.update(section(good(...servers), "one", { n10: { isPinned: true } }));
    assert.deepEqual(outline(tree.rows), ["n10", "n1", "n9"]);
  });

  it("end with a folded group of the stopped servers if the list is long", () => {
    const tree = createTree();
    tree.update(section(longList(), "one", { s5: { isPinned: true } }));
    assert.deepEqual(outline(tree.rows), [
      "s5",
      "s1",
      "s2",
      "s4",
      "s7",
      "s8",
      ["Stopped (3)", "s3", "s6", "s9"],
    ]);
    const group = tree.rows.roots.at(-1);
    assert.ok(group?.kind === "group");
    assert.equal(group.text, "may still cost");
    const row = tree.rows.find("one", "s6");
    assert.ok(row);
    assert.equal(tree.rows.parentOf(row), group);
  });

  it("aren't folded when there are few of them, in other groups or none, or with a filter", () => {
    for (const [arrangement, list] of [
      [{}, good(...longList().servers.slice(0, 8))],
      [{}, good(...longList().servers.slice(5), ...["a", "b", "c", "d", "e"].map((key) => server(key)))],
      [{ groupBy: "region" }, longList()],
      [{ groupBy: "none" }, longList()],
      [{ filter: "status:stopped" }, longList()],
    ] as const) {
      const tree = createTree(arrangement);
      tree.update(section(list));
      const isStopped = (row: TreeRow): boolean => row.kind === "group" && row.grouping === "stopped";
      assert.equal(tree.rows.roots.some(isStopped), false);
    }
  });

  it("say what the folded servers cost as far as it is known", () => {
    const tree = createTree();
    const costing = (value: string, from: number): ServerListSnapshot =>
      good(
        ...longList().servers.map((each, index) =>
          index < from ? each : { ...each, costNow: { value, source: "x" } },
        ),
      );
    const text = (): string | undefined => {
      const group = tree.rows.roots.at(-1);
      return group?.kind === "group" ? group.text : undefined;
    };
    tree.update(section(costing("0 USD per hour", 0)));
    assert.equal(text(), "");
    tree.update(section(costing("0.5 USD per hour", 8)));
    assert.equal(text(), "$0.50/h + 3 unclear");
    const change = tree.update(section(costing("0.5 USD per hour", 0)));
    assert.equal(text(), "$2.00/h");
    assert.ok(Array.isArray(change) && change.some(({ kind }: TreeRow) => kind === "group"));
  });

  it("leave the folded group with the same row when an action is about them or they start", () => {
    const tree = createTree();
    const changes = new Map([["s9", { ...expected, serverId: "s9" }]]);
    tree.update(section(longList()));
    const row = tree.rows.find("one", "s9");
    tree.update({ ...section(longList()), actions: { actions: [], hasConsole: false, changes } });
    assert.deepEqual(outline(tree.rows).slice(-2), ["s9", ["Stopped (3)", "s3", "s5", "s6"]]);
    const started = longList().servers.map((each) =>
      each.key === "s9" ? server("s9", "eu", "starting") : each,
    );
    tree.update(section(good(...started)));
    assert.deepEqual(outline(tree.rows).slice(-2), ["s9", ["Stopped (3)", "s3", "s5", "s6"]]);
    assert.equal(tree.rows.find("one", "s9"), row);
    assert.ok(row);
    assert.equal(tree.rows.parentOf(row), undefined);
  });
});

/** Nine servers, of which four are stopped. */
function longList(): ServerListSnapshot {
  const keys = Array.from({ length: 9 }, (_, index) => `s${index + 1}`);
  return good(...keys.map((key) => server(key, "eu", /[3569]/.test(key) ? "stopped" : "running")));
}
