import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerListSnapshot } from "../../../src/core/servers/serverListState.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import type { SecretResult } from "../../../src/core/account/credentialState.ts";
import type { ListOwner } from "../../../src/storage/files/snapshotFiles.ts";
import { SnapshotFiles, listOwner } from "../../../src/storage/files/snapshotFiles.ts";

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

describe("SnapshotFiles", () => {
  let folder: string;
  let now = 0;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "snapshots-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("returns a stored list only to the same owner", async () => {
    const files = new SnapshotFiles(join(folder, "new"), () => now);
    await files.write(ownerOf(), snapshot);
    assert.equal((await files.read(ownerOf()))?.servers[0]?.key, "one");
    assert.equal(await files.read(ownerOf({}, 2)), undefined);
    assert.equal(await files.read(ownerOf({ name: "b" })), undefined);
    const [name = ""] = readdirSync(join(folder, "new"));
    if (process.platform !== "win32") assert.equal(statSync(join(folder, "new", name)).mode & 0o777, 0o600);
  });

  it("writes at most every 5 minutes", async () => {
    const files = new SnapshotFiles(folder, () => now);
    await files.write(ownerOf(), snapshot);
    await files.write(ownerOf(), { ...snapshot, listedAt: 6 });
    assert.equal((await files.read(ownerOf()))?.listedAt, 5);
    now += 300_000;
    await files.write(ownerOf(), { ...snapshot, listedAt: 7 });
    assert.equal((await files.read(ownerOf()))?.listedAt, 7);
  });

  it("deletes the lists of earlier credentials and keeps those of other profiles", async () => {
    const files = new SnapshotFiles(folder, () => now);
    await Promise.all(
      [ownerOf(), ownerOf({}, 2), ownerOf({ name: "b" })].map((o) => files.write(o, snapshot)),
    );
    await files.forget("a", ownerOf({}, 2));
    assert.equal(await files.read(ownerOf()), undefined);
    assert.ok(await files.read(ownerOf({}, 2)));
    assert.ok(await files.read(ownerOf({ name: "b" })));
  });

  it("leaves nothing of a profile after sign-out, even during a write", async () => {
    const files = new SnapshotFiles(folder, () => now);
    void files.write(ownerOf(), snapshot);
    await new SnapshotFiles(folder, () => now).forget("a");
    assert.deepEqual(readdirSync(folder), []);
  });
});
