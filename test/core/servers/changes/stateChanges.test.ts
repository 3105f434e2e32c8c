import assert from "node:assert/strict";
import {
  StateChanges,
  UnseenServers,
  digestText,
} from "../../../../src/core/servers/changes/stateChanges.ts";
import type { ServerAnnotation } from "../../../../src/core/servers/marks/serverAnnotation.ts";
import type { ServerStatus } from "../../../../src/core/servers/server.ts";
import type { ServerListSnapshot } from "../../../../src/core/servers/serverListState.ts";
import type { ServerSection } from "../../../../src/core/servers/tree/rows.ts";

const section = (
  states: Readonly<Record<string, ServerStatus>>,
  options: Partial<ServerListSnapshot> = {},
  marks: Readonly<Record<string, ServerAnnotation>> = {},
): ServerSection => ({
  profileName: "Lab",
  isActive: true,
  isProduction: false,
  color: undefined,
  host: undefined,
  snapshot: {
    state: "ready",
    servers: Object.entries(states).map(([key, status]) => ({ key, status, record: {} })),
    isRefreshing: false,
    listedAt: 1,
    failures: 0,
    ...options,
  },
  marks: new Map(Object.entries(marks)),
  nextTryAt: undefined,
});

describe("StateChanges", () => {
  it("reports servers whose status differs from the previous list", () => {
    const changes = new StateChanges();
    assert.deepEqual(changes.read(section({ a: "starting", b: "running" })), []);
    const [change, ...more] = changes.read(section({ a: "running", b: "running", c: "error" }));
    assert.deepEqual([change?.server.key, change?.before, more.length], ["a", "starting", 0]);
  });

  it("ignores muted servers", () => {
    const changes = new StateChanges();
    changes.read(section({ a: "running" }));
    assert.deepEqual(changes.read(section({ a: "error" }, {}, { a: { isMuted: true } })), []);
  });

  it("compares with the last loaded list, even after failures", () => {
    const changes = new StateChanges();
    changes.read(section({ a: "running" }));
    const error = { reason: "unreachable", message: "Down." } as const;
    assert.deepEqual(changes.read(section({ a: "running" }, { error, failures: 1 })), []);
    assert.equal(changes.read(section({ a: "stopped" })).length, 1);
  });

  it("reports no changes since an earlier session", () => {
    const changes = new StateChanges();
    assert.deepEqual(changes.read(section({ a: "running" }, { isRestored: true })), []);
    assert.deepEqual(changes.read(section({ a: "stopped" })), []);
  });

  it("starts over after the credential changes", () => {
    const changes = new StateChanges();
    changes.read(section({ a: "running" }));
    changes.read(section({}, { state: "loading" }));
    assert.deepEqual(changes.read(section({ a: "stopped" })), []);
  });
});

describe("The servers that the badge counts", () => {
  it("counts each failed server once, until it is viewed or has recovered", () => {
    const changes = new StateChanges();
    const failures = new UnseenServers();
    changes.read(section({ a: "running", b: "running" }));
    failures.add(changes.read(section({ a: "error", b: "error" })));
    assert.equal(failures.count, 2);
    failures.add(changes.read(section({ a: "running", b: "error" })));
    assert.equal(failures.count, 1);
    failures.clear();
    assert.equal(failures.count, 0);
  });

  it("drops the failures of a profile whose credential changed", () => {
    const changes = new StateChanges();
    const failures = new UnseenServers();
    changes.read(section({ a: "running" }));
    failures.add(changes.read(section({ a: "error" })));
    failures.forget("La");
    assert.equal(failures.count, 1);
    failures.forget("Lab");
    assert.equal(failures.count, 0);
  });

  it("counts idle ones and those without SSH until they have been viewed, each once", () => {
    const servers = new UnseenServers();
    const idle = new Map([
      ['["Lab","a"]', "idle" as const],
      ['["Lab","b"]', "unreachable" as const],
    ]);
    servers.noteUse(idle, false);
    assert.deepEqual(
      [servers.count, servers.lines],
      [2, ["1 server is idle", "1 server is running without SSH"]],
    );
    servers.clear();
    servers.noteUse(idle, false);
    assert.equal(servers.count, 0);
    servers.noteUse(new Map([['["Lab","a"]', "unreachable" as const]]), false);
    assert.deepEqual(servers.lines, ["1 server is running without SSH"]);
    servers.noteUse(new Map(), false);
    servers.noteUse(idle, true);
    assert.equal(servers.count, 0);
    servers.noteUse(new Map(), false);
    servers.noteUse(idle, false);
    servers.forget("La");
    assert.equal(servers.count, 2);
    servers.forget("Lab");
    assert.equal(servers.count, 0);
  });
});

describe("The digest of changes", () => {
  it("names three servers and counts the others", () => {
    const changes = new StateChanges();
    const states = (status: ServerStatus): Record<string, ServerStatus> =>
      Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, status]));
    changes.read(section(states("starting")));
    const text = digestText(changes.read(section(states("running"))));
    assert.match(text, /^Unnamed server a: Starting → Running, .* and 2 more$/);
  });
});
