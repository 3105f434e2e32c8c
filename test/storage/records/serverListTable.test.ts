import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { ServerListSnapshot } from "../../../src/core/servers/serverListState.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import type { SecretResult } from "../../../src/core/account/credentialState.ts";
import type { ListOwner } from "../../../src/storage/records/serverListTable.ts";
import { ServerListTable, listOwner } from "../../../src/storage/records/serverListTable.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

const secret = "planted-api-secret-0123456789";

function profile(change: Record<string, unknown> = {}): Profile {
  const { profiles } = parseProfiles([{ name: "a", gatewayUrl: "https://gpu.example.com", ...change }]);
  const [first] = profiles;
  assert.ok(first);
  return first;
}

function stored(savedAt: number): SecretResult {
  const credential = { kind: "accessKey", accessKey: "AK", apiSecret: secret } as const;
  return { state: "present", credential, savedAt };
}

function ownerOf(change: Record<string, unknown> = {}, savedAt = 1): ListOwner {
  const owner = listOwner(profile(change), stored(savedAt));
  assert.ok(owner);
  return owner;
}

const snapshot: ServerListSnapshot = {
  state: "ready",
  servers: [{ key: "one", status: "running", record: { token: secret } }],
  isRefreshing: false,
  listedAt: 5,
  failures: 0,
};

describe("listOwner", () => {
  it("differs by profile, address, kind and credential, and contains nothing of the secret", () => {
    const owners = [
      ownerOf(),
      ownerOf({ name: "b" }),
      ownerOf({ gatewayUrl: "https://other.example.com" }),
      ownerOf({ serverListQuery: { page: "1" } }),
      ownerOf({}, 2),
    ];
    assert.equal(new Set(owners.map((owner) => JSON.stringify(owner))).size, owners.length);
    assert.deepEqual(ownerOf({ color: "red", production: true }), ownerOf());
    assert.doesNotMatch(JSON.stringify(owners), /planted/);
  });

  it("is undefined if no one is signed in", () => {
    assert.equal(listOwner(profile(), { state: "missing" }), undefined);
    assert.equal(
      listOwner(profile(), { state: "otherOrigin", enteredFor: "https://x.example.com" }),
      undefined,
    );
  });
});

describe("Stored lists of servers", () => {
  let folder: RecordsFolder;
  let now = 0;

  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  const open = (records = folder.open()): ServerListTable => new ServerListTable(records, () => now);

  it("are returned only to the same owner, and contain no secret", async () => {
    await open().write(ownerOf(), snapshot);
    const lists = open();
    assert.equal((await lists.read(ownerOf()))?.servers[0]?.key, "one");
    assert.equal(await lists.read(ownerOf({}, 2)), undefined);
    assert.equal(await lists.read(ownerOf({ name: "b" })), undefined);
    assert.deepEqual(folder.filesWith(secret), []);
  });

  it("are written at most every 5 minutes", async () => {
    const lists = open();
    await lists.write(ownerOf(), snapshot);
    await lists.write(ownerOf(), { ...snapshot, listedAt: 6 });
    assert.equal((await lists.read(ownerOf()))?.listedAt, 5);
    now += 300_000;
    await lists.write(ownerOf(), { ...snapshot, listedAt: 7 });
    assert.equal((await lists.read(ownerOf()))?.listedAt, 7);
  });

  it("are deleted if they are of an earlier credential, and kept if they are of another profile", async () => {
    const lists = open();
    await Promise.all(
      [ownerOf(), ownerOf({}, 2), ownerOf({ name: "b" })].map((o) => lists.write(o, snapshot)),
    );
    await lists.forget("a", ownerOf({}, 2));
    assert.equal(await lists.read(ownerOf()), undefined);
    assert.ok(await lists.read(ownerOf({}, 2)));
    assert.ok(await lists.read(ownerOf({ name: "b" })));
  });

  it("leave nothing of a profile after sign-out, even during a write", async () => {
    const records = folder.open();
    const server = { key: "canary-server", status: "running", record: {} } as const;
    await open(records).write(ownerOf({}, 2), { ...snapshot, servers: [server] });
    void open(records).write(ownerOf(), { ...snapshot, servers: [server] });
    await open(records).forget("a");
    for (let tries = 0; tries < 100 && folder.filesWith("canary-server").length > 0; tries++)
      await setTimeout(50);
    assert.deepEqual(folder.filesWith("canary-server"), []);
  });

  it("are left out if they can't be read", async () => {
    await open().write(ownerOf(), snapshot);
    folder.openDatabase().exec("UPDATE server_list SET text = '{\"version\":1,'");
    assert.equal(await open().read(ownerOf()), undefined);
  });

  it("of thousands of servers never block the host for long", async () => {
    const servers = Array.from({ length: 5_000 }, (_, index) => ({
      ...{ key: `server-${index}`, status: "running", record: {} },
      name: { value: `Server ${index}`, source: "name" },
    })) as ServerListSnapshot["servers"];
    const lists = open();
    await lists.write(ownerOf({ name: "b" }), snapshot);
    let [longest, last] = [0, performance.now()];
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await lists.write(ownerOf(), { ...snapshot, servers });
    clearInterval(timer);
    assert.equal((await lists.read(ownerOf()))?.servers.length, 5_000);
    assert.ok(longest < 100, `${longest} ms`);
  });
});
