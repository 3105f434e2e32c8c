import assert from "node:assert/strict";
import type { Server } from "../../../../src/core/servers/server.ts";
import { sshTargetOf } from "../../../../src/core/servers/connect/sshTarget.ts";
import { ServerListState } from "../../../../src/core/servers/serverListState.ts";
import { ServerTreeRows } from "../../../../src/core/servers/tree/serverTreeRows.ts";
import { plainArrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import {
  formatServerSnapshot,
  parseServerSnapshot,
} from "../../../../src/core/servers/snapshot/serverSnapshotText.ts";

const server: Server = {
  key: "a",
  name: { value: "trainer password=planted-secret", source: "name" },
  status: "running",
  statusText: { value: "ACTIVE", source: "state" },
  address: { value: "10.0.0.1", source: "ip" },
  isPrivateAddress: true,
  record: { api_token: "planted-secret" },
};
const snapshot = { state: "ready", servers: [server], isRefreshing: false, failures: 0 } as const;

describe("The stored server list", () => {
  it("restores what a row shows, without records and secrets", () => {
    const text = formatServerSnapshot({ ...snapshot, listedAt: 5, total: 9 }) ?? "";
    assert.doesNotMatch(text, /planted-secret/);
    const stored = parseServerSnapshot(text);
    assert.deepEqual([stored?.listedAt, stored?.total], [5, 9]);
    assert.deepEqual(stored?.servers[0]?.address, server.address);
    assert.equal(stored?.servers[0]?.isPrivateAddress, true);
  });

  it("leads to the same SSH port and user as the list, which only its records have", () => {
    const records: readonly unknown[] = [
      { ssh_user: "ubuntu", ssh_port: 2222 },
      { connect: "ssh -p 40022 root@gate.example" },
      { ports: [{ ip: "203.0.113.7", publicPort: 17_445, privatePort: 22 }] },
      {},
    ];
    const servers = records.map((record, at) => ({ ...server, key: `server ${at}`, record }));
    const text = formatServerSnapshot({ ...snapshot, servers, listedAt: 5 }) ?? "";
    const stored = parseServerSnapshot(text)?.servers ?? [];
    assert.deepEqual(stored.map(sshTargetOf), servers.map(sshTargetOf));
  });

  it("keeps no secret from a name that serves as a key", () => {
    const servers = ["password=planted-one", "password=planted-two"].map((name) => ({
      ...server,
      key: `name:${name}`,
    }));
    const text = formatServerSnapshot({ ...snapshot, servers, listedAt: 5 }) ?? "";
    assert.doesNotMatch(text, /planted/);
    assert.equal(parseServerSnapshot(text)?.servers.length, 1);
  });

  it("is empty before anything is loaded", () => {
    assert.equal(formatServerSnapshot(snapshot), undefined);
  });

  it("is not read from other data", () => {
    for (const text of ["", "{", "null", "[]", '{"version":1}', '{"version":2,"servers":[{}]}']) {
      assert.equal(parseServerSnapshot(text), undefined);
    }
    assert.deepEqual(
      parseServerSnapshot('{"version":2,"listedAt":1,"servers":[1,{"key":"a"}]}')?.servers,
      [],
    );
  });

  it("is shown as outdated at the next start, only until the first response", async () => {
    const list = new ServerListState(
      { list: () => ({ list: Promise.resolve({ servers: [server], path: "" }), stop: () => undefined }) },
      () => 100_000,
    );
    list.restore({ servers: [{ ...server, status: "stopped" }], listedAt: 1 });
    const rows = new ServerTreeRows(() => 0);
    const paint = (): string | undefined => {
      const section = { profileName: "", isActive: true, isProduction: false, color: undefined };
      const rest = { host: undefined, marks: new Map(), nextTryAt: undefined };
      rows.update([{ ...section, ...rest, snapshot: list.current }], plainArrangement);
      return rows.servers[0]?.staleSince;
    };
    assert.match(paint() ?? "", /^\d\d:\d\d$/);
    await list.poll();
    assert.equal(paint(), undefined);
    list.restore({ servers: [], listedAt: 1 });
    list.restore({ servers: [{ ...server, status: "stopped" }], listedAt: 1 });
    assert.equal(list.current.servers[0]?.status, "running");
  });
});
