import assert from "node:assert/strict";
import type { Credential } from "../../src/core/credential.ts";
import { ServiceError } from "../../src/core/errors.ts";
import { parseProfiles } from "../../src/core/parseProfiles.ts";
import type { Profile } from "../../src/core/profile.ts";
import { Redaction } from "../../src/core/redaction.ts";
import { parseSecretKey, secretKey } from "../../src/core/secretEntry.ts";
import { requireCredential } from "../../src/core/secretReading.ts";
import { SecretVault } from "../../src/core/secretVault.ts";
import { MemoryIndex, MemorySecrets } from "../support/memorySecrets.ts";

const canary = "CANARY-vault-71c3";
const apiKey: Credential = { kind: "apiKey", apiKey: canary };

function profileOf(options: Readonly<Record<string, unknown>>): Profile {
  const profile = parseProfiles([{ name: "Cloud", ...options }]).profiles[0];
  assert.ok(profile);
  return profile;
}

const cloud = profileOf({ inferenceBaseUrl: "https://a.example/v1", gatewayUrl: "https://g.example" });

function openWindow(store = new MemorySecrets(), index = new MemoryIndex()) {
  const redaction = new Redaction();
  const vault = new SecretVault({ store, index, redaction, now: () => 1_000 });
  const changes: string[] = [];
  vault.onDidChange((name) => changes.push(name));
  return { store, index, redaction, vault, changes };
}

/** Lets what listens to the storage finish: it only waits for promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("SecretVault", () => {
  it("hands out what was stored, for the profile and kind it was stored for", async () => {
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

  it("keeps a secret from an address for which it was not entered", async () => {
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
        assert.match(error.message, /entered for https:\/\/a\.example.*evil\.example/);
        assert.ok(!JSON.stringify(error.facts).includes(canary));
        return true;
      },
    );
  });

  it("tells another scheme and another port from the one it was entered for", async () => {
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

  it("stores nothing for a profile that has no such address", async () => {
    const { vault, store, index } = openWindow();
    const chatOnly = profileOf({ inferenceBaseUrl: "https://a.example/v1" });
    await assert.rejects(vault.store(chatOnly, { kind: "stsToken", token: canary }), ServiceError);
    assert.equal(store.entries.size + index.keys.length, 0);
  });

  it("says that a secret was forgotten by a storage without a keyring", async () => {
    const { vault, store } = openWindow();
    await vault.store(cloud, apiKey);
    store.entries.clear();
    assert.deepEqual(await vault.read(cloud, "apiKey"), { state: "lost" });
  });

  it("does not trip over entries that others wrote", async () => {
    const { vault, store } = openWindow();
    const key = secretKey("Cloud", "apiKey");
    const texts = ["", "x", "null", "[]", '{"version":1}', '{"version":2,"origin":"https://a.example"}'];
    for (const text of texts) {
      store.entries.set(key, text);
      assert.deepEqual(await vault.read(cloud, "apiKey"), { state: "unreadable" }, text);
    }
  });

  it("raises the generation with each change of its own, once", async () => {
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

  it("notices what another window stores and removes", async () => {
    const first = openWindow();
    const second = openWindow(first.store);
    await first.vault.store(cloud, apiKey);
    await settle();
    assert.equal(second.vault.generation("Cloud"), 1);
    await second.vault.store(cloud, { kind: "apiKey", apiKey: "another" });
    await settle();
    assert.equal(first.vault.generation("Cloud"), 2);
    await second.vault.wipe([]);
    await settle();
    assert.equal(first.vault.generation("Cloud"), 3);
    assert.deepEqual(await first.vault.read(cloud, "apiKey"), { state: "missing" });
    assert.deepEqual(first.index.keys, []);
  });

  it("wipes everything, profiles that don't exist any more included", async () => {
    const { vault, store, index } = openWindow();
    await vault.store(cloud, apiKey);
    await vault.store({ ...cloud, name: "Gone/with slash" }, { kind: "sessionToken", token: canary });
    store.entries.set(secretKey("Unindexed", "stsToken"), "x");
    assert.equal(await vault.isEmpty([]), false);
    assert.equal(await vault.wipe(["Unindexed"]), 3);
    assert.equal(store.entries.size, 0);
    assert.deepEqual(index.keys, []);
    assert.equal(await vault.isEmpty(["Cloud", "Unindexed"]), true);
    assert.equal(vault.generation("Gone/with slash"), 2);
  });

  it("wipes what only the storage itself still knows", async () => {
    class ListingSecrets extends MemorySecrets {
      keys(): Promise<readonly string[]> {
        return Promise.resolve([...this.entries.keys()]);
      }
    }
    const { vault, store } = openWindow(new ListingSecrets());
    store.entries.set(secretKey("Forgotten", "apiKey"), "x");
    assert.equal(await vault.wipe([]), 1);
    assert.equal(store.entries.size, 0);
  });

  it("keeps every key in the index when many are stored at once", async () => {
    const { vault, index } = openWindow();
    const names = Array.from({ length: 20 }, (_, at) => `P${at}`);
    await Promise.all(names.map((name) => vault.store({ ...cloud, name }, apiKey)));
    assert.equal(index.keys.length, 20);
  });

  it("writes no secret into the index and has it masked in the log", async () => {
    const { vault, index, redaction } = openWindow();
    await vault.store(cloud, { kind: "accessKey", accessKey: "CANARY-id", apiSecret: canary });
    assert.deepEqual(index.keys, ["inferenceGateway/Cloud/accessKey"]);
    assert.equal(redaction.redact(`x ${canary} CANARY-id`), "x [redacted] [redacted]");
  });
});

describe("parseSecretKey", () => {
  it("is the contrary of secretKey, slashes in the name included", () => {
    assert.deepEqual(parseSecretKey(secretKey("a/b", "stsToken")), { profileName: "a/b", kind: "stsToken" });
  });

  it("knows what is not ours", () => {
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
