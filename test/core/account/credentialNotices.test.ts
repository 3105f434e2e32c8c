import assert from "node:assert/strict";
import { dueNotices, keepHandled, nextLook } from "../../../src/core/account/credentialRow.ts";
import type { SecretFacts, StoredSecret } from "../../../src/core/account/storedSecret.ts";

const minute = 60_000;
const day = 86_400_000;
const now = 1_000 * day;

function secretOf(kind: StoredSecret["kind"], facts: Partial<SecretFacts>) {
  const all = { origin: "https://a.example", savedAt: now - day, ...facts };
  return { profileName: "Cloud", kind, facts: all } satisfies StoredSecret;
}

function due(secret: StoredSecret, at = now, told: ReadonlyMap<string, number> = new Map()) {
  return dueNotices([secret], told, at);
}

describe("Credential notifications", () => {
  it("warn once that a token expires soon, and not after it has expired", () => {
    const token = secretOf("stsToken", { expiresAt: now + 5 * minute });
    assert.deepEqual(due(token, now - 1), []);
    const [notice] = due(token);
    assert.equal(notice?.about, "ending");
    assert.deepEqual(due(token, now + 4 * minute, new Map([[notice.id, now]])), []);
    assert.deepEqual(due(token, now + 5 * minute), []);
  });

  it("have a new ID after the token is replaced", () => {
    const first = due(secretOf("stsToken", { expiresAt: now + minute }))[0];
    const second = due(secretOf("stsToken", { expiresAt: now + 2 * minute }))[0];
    assert.ok(first && second);
    assert.notEqual(first.id, second.id);
  });

  it("remind weekly that a key is old until it is rotated", () => {
    const key = secretOf("accessKey", { savedAt: now - 90 * day });
    const [notice] = due(key);
    assert.equal(notice?.about, "aged");
    const told = new Map([[notice.id, now]]);
    assert.deepEqual(due(key, now + 6 * day, told), []);
    assert.equal(due(key, now + 7 * day, told).length, 1);
    assert.deepEqual(due(secretOf("accessKey", { savedAt: now - 89 * day })), []);
  });

  it("stop once the credential is removed", () => {
    const key = secretOf("apiKey", {});
    const told = new Map([
      ["gone", 1],
      [due(secretOf("apiKey", { savedAt: now - 91 * day }))[0]?.id ?? "", 2],
    ]);
    assert.equal(keepHandled(told, [key]).size, 0);
    assert.equal(keepHandled(told, [secretOf("apiKey", { savedAt: now - 91 * day })]).size, 1);
  });
});

describe("The next update of the countdown", () => {
  it("comes every second in the last minute of a token, and hourly when nothing is counting down", () => {
    assert.equal(nextLook([secretOf("stsToken", { expiresAt: now + 30_000 })], now), 1_000);
    assert.equal(nextLook([secretOf("stsToken", { expiresAt: now + 90_000 })], now), 30_001);
    assert.equal(nextLook([secretOf("stsToken", { expiresAt: now + 30 * minute })], now), minute);
    assert.equal(nextLook([secretOf("stsToken", { expiresAt: now - 1 })], now), 3_600_000);
    assert.equal(nextLook([], now), 3_600_000);
  });
});
