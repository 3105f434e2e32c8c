import assert from "node:assert/strict";
import type { Credential } from "../../../src/core/kernel/credential.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { parseSecretKey, secretKey } from "../../../src/core/account/secretEntries.ts";
import type { SecretStore } from "../../../src/core/account/secretEntries.ts";
import { requireCredential } from "../../../src/core/account/credentialState.ts";
import { SecretVault } from "../../../src/core/account/secretVault.ts";
import { MemoryIndex, MemorySecrets } from "../../support/memorySecrets.ts";

const canary = "CANARY-vault-71c3";
const apiKey: Credential = { kind: "apiKey", apiKey: canary };

function profileOf(options: Readonly<Record<string, unknown>>): Profile {
  const profile = parseProfiles([{ name: "Cloud", ...options }]).profiles[0];
  assert.ok(profile);
  return profile;
}

const cloud = profileOf({ inferenceBaseUrl: "https://a.example/v1", gatewayUrl: "https://g.example" });

function openWindow(store = new MemorySecrets(), index = new MemoryIndex()) {
  return { store, ...openVault(store, index) };
}

function openVault(store: SecretStore, index = new MemoryIndex()) {
  const redaction = new Redaction();
  const vault = new SecretVault({ store, index, redaction, now: () => 1_000 });
  const changes: string[] = [];
  vault.onDidChange((name) => changes.push(name));
  return { index, redaction, vault, changes };
}

/** Lets the storage listeners finish, which only wait for promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("SecretVault", () => {
  it("returns what was stored, for the same profile and kind only", async () => {
    const { vault } = openWindow();
    await vault.store(cloud, apiKey);
    assert.deepEqual(await vault.read(cloud, "apiKey"), {
      state: "present",
      credential: apiKey,
      savedAt: 1_000,
    });
    assert.deepEqual(await vault.read(cloud, "stsToken"), { state: "missing" });
    assert.deepEqual(await vault.read({ ...cloud, name: "Other" }, "apiKey"), { state: "missing" });
  });

  it("doesn't return a secret for an address other than the one it was entered for", async () => {
    const { vault } = openWindow();
    await vault.store(cloud, apiKey);
    const moved = profileOf({ inferenceBaseUrl: "https://evil.example/v1" });
    const reading = await vault.read(moved, "apiKey");
    assert.deepEqual(reading, { state: "otherOrigin", enteredFor: "https://a.example" });
    assert.throws(
      () => requireCredential(reading, moved, "apiKey"),
      (error: unknown) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.reason, "missingCredential");
        assert.match(error.message, /saved for https:\/\/a\.example.*evil\.example/);
        assert.ok(!JSON.stringify(error.facts).includes(canary));
        return true;
      },
    );
  });

  it("treats another scheme or port as a different address", async () => {
    const { vault } = openWindow();
    await vault.store(cloud, apiKey);
    for (const url of ["http://a.example/v1", "https://a.example:8443/v1"]) {
      assert.equal((await vault.read(profileOf({ inferenceBaseUrl: url }), "apiKey")).state, "otherOrigin");
    }
    assert.equal(
      (await vault.read(profileOf({ inferenceBaseUrl: "https://A.example:443/v2" }), "apiKey")).state,
      "present",
    );
  });

  it("binds gateway credentials to the gateway's address", async () => {
    const { vault } = openWindow();
    await vault.store(cloud, { kind: "stsToken", token: canary });
    const moved = { ...cloud, inferenceBaseUrl: "https://b.example/v1" };
    assert.equal((await vault.read(moved, "stsToken")).state, "present");
    assert.equal(
      (await vault.read({ ...cloud, gatewayUrl: "https://h.example" }, "stsToken")).state,
      "otherOrigin",
    );
  });

  it("stores no gateway credential for a profile without a gateway address", async () => {
    const { vault, store, index } = openWindow();
    const chatOnly = profileOf({ inferenceBaseUrl: "https://a.example/v1" });
    await assert.rejects(vault.store(chatOnly, { kind: "stsToken", token: canary }), ServiceError);
    assert.equal(store.entries.size + index.keys().length, 0);
  });

  it("reports a secret that was lost by a storage without a keyring", async () => {
    const { vault, store } = openWindow();
    await vault.store(cloud, apiKey);
    store.entries.clear();
    assert.deepEqual(await vault.read(cloud, "apiKey"), { state: "lost" });
  });

  it("reports entries with unknown content as unreadable", async () => {
    const { vault, store } = openWindow();
    const key = secretKey("Cloud", "apiKey");
    const texts = ["", "x", "null", "[]", '{"version":1}', '{"version":2,"origin":"https://a.example"}'];
    for (const text of texts) {
      store.entries.set(key, text);
      assert.deepEqual(await vault.read(cloud, "apiKey"), { state: "unreadable" }, text);
    }
  });

  it("raises the generation once with each of its own changes", async () => {
    const { vault, changes } = openWindow();
    await vault.store(cloud, apiKey);
    await settle();
    assert.equal(vault.generation("Cloud"), 1);
    await vault.remove("Cloud", "apiKey");
    await settle();
    assert.equal(vault.generation("Cloud"), 2);
    assert.deepEqual(changes, ["Cloud", "Cloud"]);
    assert.equal(vault.generation("Other"), 0);
  });

  it("notices secrets that another window stores or removes", async () => {
    const first = openWindow();
    const second = openWindow(first.store);
    await first.vault.store(cloud, apiKey);
    await settle();
    assert.equal(second.vault.generation("Cloud"), 1);
    await second.vault.store(cloud, { kind: "apiKey", apiKey: "another" });
    await settle();
    assert.equal(first.vault.generation("Cloud"), 2);
    await second.vault.wipe();
    await settle();
    assert.equal(first.vault.generation("Cloud"), 3);
    assert.deepEqual(await first.vault.read(cloud, "apiKey"), { state: "missing" });
    assert.deepEqual(first.index.keys(), []);
  });

  it("notices a removal by another window that it has read before it was notified", async () => {
    const store = new MemorySecrets();
    const first = openWindow(store);
    await first.vault.store(cloud, apiKey);
    let notify: () => void = () => undefined;
    const late: SecretStore = {
      keys: () => store.keys(),
      get: (key) => store.get(key),
      store: (key, value) => store.store(key, value),
      delete: (key) => store.delete(key),
      onDidChange(listener) {
        notify = () => listener({ key: secretKey("Cloud", "apiKey") });
        return { dispose: () => undefined };
      },
    };
    const second = openVault(late);
    assert.equal((await second.vault.read(cloud, "apiKey")).state, "present");
    await first.vault.remove("Cloud", "apiKey");
    assert.equal((await second.vault.read(cloud, "apiKey")).state, "missing");
    assert.deepEqual(second.changes, []);
    notify();
    await settle();
    assert.deepEqual(second.changes, ["Cloud"]);
  });

  it("wipes everything, including secrets of deleted profiles", async () => {
    const { vault, store, index } = openWindow();
    await vault.store(cloud, apiKey);
    await vault.store({ ...cloud, name: "Gone/with slash" }, { kind: "sessionToken", token: canary });
    store.entries.set(secretKey("Unindexed", "stsToken"), "x");
    assert.notEqual((await vault.list()).length, 0);
    assert.equal(await vault.wipe(), 3);
    assert.equal(store.entries.size, 0);
    assert.deepEqual(index.keys(), []);
    assert.deepEqual(await vault.list(), []);
    assert.equal(vault.generation("Gone/with slash"), 2);
  });

  it("wipes a single profile", async () => {
    const { vault, store, index, changes } = openWindow();
    await vault.store(cloud, apiKey);
    await vault.store(cloud, { kind: "sessionToken", token: "another" });
    await vault.store({ ...cloud, name: "Cloud/2" }, apiKey);
    changes.length = 0;
    assert.equal(await vault.wipe("Cloud"), 2);
    assert.deepEqual([...store.entries.keys()], [secretKey("Cloud/2", "apiKey")]);
    assert.deepEqual(index.keys(), [secretKey("Cloud/2", "apiKey")]);
    assert.deepEqual(changes, ["Cloud"]);
  });

  it("keeps every key in the index when many are stored at the same time", async () => {
    const { vault, index } = openWindow();
    const names = Array.from({ length: 20 }, (_, at) => `P${at}`);
    await Promise.all(names.map((name) => vault.store({ ...cloud, name }, apiKey)));
    assert.equal(index.keys().length, 20);
  });

  it("writes no secret into the index and redacts secrets in the log", async () => {
    const { vault, index, redaction } = openWindow();
    await vault.store(cloud, { kind: "accessKey", accessKey: "CANARY-id", apiSecret: canary });
    assert.deepEqual(index.keys(), ["inferenceGateway/Cloud/accessKey"]);
    assert.equal(redaction.redact(`x ${canary} CANARY-id`), "x [redacted] [redacted]");
  });
});

describe("The list of stored credentials", () => {
  it("contains everything but the values, including entries of deleted profiles", async () => {
    const { vault } = openWindow();
    await vault.store(cloud, apiKey);
    await vault.store({ ...cloud, name: "Gone" }, { kind: "stsToken", token: canary }, 5_000);
    const list = await vault.list();
    assert.deepEqual(list.map(({ profileName }) => profileName).toSorted(), ["Cloud", "Gone"]);
    assert.equal(list.find(({ profileName }) => profileName === "Gone")?.facts?.expiresAt, 5_000);
    assert.ok(!JSON.stringify(list).includes(canary));
  });

  it("records the last use of each to the minute and drops it with the secret", async () => {
    const index = new MemoryIndex();
    let now = 1_000_000;
    const store = new MemorySecrets();
    const vault = new SecretVault({
      store,
      index,
      redaction: new Redaction(),
      now: () => now,
    });
    await vault.store(cloud, apiKey);
    vault.noteUse("Cloud", "apiKey");
    now += 30_000;
    vault.noteUse("Cloud", "apiKey");
    assert.equal((await vault.list())[0]?.lastUsedAt, 1_000_000);
    now += 60_000;
    vault.noteUse("Cloud", "apiKey");
    assert.equal((await vault.list())[0]?.lastUsedAt, now);
    await vault.remove("Cloud", "apiKey");
    assert.equal(index.entries.size, 0);
  });
});

describe("parseSecretKey", () => {
  it("reverses secretKey, even if the name contains slashes", () => {
    const parts = { profileName: "a/b", kind: "stsToken" } as const;
    assert.deepEqual(parseSecretKey(secretKey(parts.profileName, parts.kind)), parts);
  });

  it("rejects unknown keys", () => {
    for (const key of [
      "",
      "other",
      "inferenceGateway/",
      "inferenceGateway/apiKey",
      "inferenceGateway/x/other",
    ]) {
      assert.equal(parseSecretKey(key), undefined, key);
    }
  });
});
