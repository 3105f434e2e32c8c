import assert from "node:assert/strict";
import { dueNotices, keepShown, nextLook } from "../../../src/core/account/credentialRow.ts";
import type { SecretFacts, StoredSecret } from "../../../src/core/account/storedSecret.ts";

const minute = 60_000;
const day = 86_400_000;
const now = 1_000 * day;

function secretOf(kind: StoredSecret["kind"], facts: Partial<SecretFacts>) {
  const all = { origin: "https://a.example", savedAt: now - day, ...facts };
  return { profileName: "Cloud", kind, facts: all } satisfies StoredSecret;
}

function due(secret: StoredSecret, at = now, told: ReadonlySet<string> = new Set()) {
  return dueNotices([secret], told, at);
}

describe("Credential notifications", () => {
  it("warn once that a token expires soon, and not after it has expired", () => {
    const token = secretOf("stsToken", { expiresAt: now + 5 * minute });
    assert.deepEqual(due(token, now - 1), []);
    const [notice] = due(token);
    assert.ok(notice);
    assert.deepEqual(due(token, now + 4 * minute, new Set([notice.id])), []);
    assert.deepEqual(due(token, now + 5 * minute), []);
  });

  it("have a new ID after the token is replaced", () => {
    const first = due(secretOf("stsToken", { expiresAt: now + minute }))[0];
    const second = due(secretOf("stsToken", { expiresAt: now + 2 * minute }))[0];
    assert.ok(first && second);
    assert.notEqual(first.id, second.id);
  });

  it("don't remind of keys, however old they are", () => {
    assert.deepEqual(due(secretOf("accessKey", { savedAt: 0 })), []);
  });

  it("are forgotten once the credential is removed", () => {
    const token = secretOf("stsToken", { expiresAt: now + minute });
    const told = new Set(["gone", due(token)[0]?.id ?? ""]);
    assert.equal(keepShown(told, [secretOf("apiKey", {})]).size, 0);
    assert.equal(keepShown(told, [token]).size, 1);
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
