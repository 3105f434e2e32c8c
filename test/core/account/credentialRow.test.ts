import assert from "node:assert/strict";
import { createCredentialRow } from "../../../src/core/account/credentialRow.ts";
import { describeStoredSecret, lastFour } from "../../../src/core/account/storedSecret.ts";
import type { StoredSecret } from "../../../src/core/account/storedSecret.ts";
import { formatRemaining } from "../../../src/core/kernel/formatTime.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { formatSecretEntry, secretKey } from "../../../src/core/account/secretEntries.ts";
import type { SecretEntry } from "../../../src/core/account/secretEntries.ts";

const now = 1_000_000_000_000;
const profile = parseProfiles([
  { name: "Cloud", inferenceBaseUrl: "https://a.example/v1", gatewayUrl: "https://g.example" },
]).profiles[0];

function stored(entry: Partial<SecretEntry>, usedAt?: number): StoredSecret {
  const credential = entry.credential ?? { kind: "apiKey", apiKey: "CANARY-of-a-row-9f3c" };
  const full = { origin: "https://a.example", savedAt: now - 3_600_000, ...entry, credential };
  const key = secretKey("Cloud", credential.kind);
  const secret = describeStoredSecret(key, formatSecretEntry(full), usedAt);
  assert.ok(secret);
  return secret;
}

describe("A row of the Credentials page", () => {
  it("shows kind, last characters, origin and times, and never the value", () => {
    const row = createCredentialRow(stored({}, now - 120_000), profile, now);
    assert.equal(row.label, "API Key ····9f3c");
    assert.match(
      row.detail,
      /^https:\/\/a\.example · stored .* \(60 minutes ago\) · last used 2 minutes ago$/,
    );
    assert.equal(row.isGood, true);
    assert.ok(!JSON.stringify(row).includes("CANARY"));
  });

  it("shows the remaining time of a token", () => {
    const credential = { kind: "stsToken", token: "opaque-token-abcd" } as const;
    const secret = stored({ credential, origin: "https://g.example", expiresAt: now + 12 * 60_000 });
    assert.equal(createCredentialRow(secret, profile, now).state, "expires in 12 min");
    const late = createCredentialRow(secret, profile, now + 13 * 60_000);
    assert.equal(late.state, "expired");
    assert.equal(late.isGood, false);
  });

  it("explains that a secret is not sent to another address", () => {
    const row = createCredentialRow(stored({ origin: "https://old.example" }), profile, now);
    assert.match(row.state, /not sent/);
    assert.match(row.detail, /old\.example/);
  });

  it("offers only removal once the profile is deleted", () => {
    const row = createCredentialRow(stored({}), undefined, now);
    assert.deepEqual(row.actions, ["remove"]);
    assert.match(row.state, /deleted/);
  });

  it("shows an entry that can't be read so that it can be removed", () => {
    const secret = describeStoredSecret(secretKey("Cloud", "apiKey"), "CANARY garbage", undefined);
    assert.ok(secret);
    const row = createCredentialRow(secret, profile, now);
    assert.deepEqual(row.actions, ["replace", "remove"]);
    assert.ok(!JSON.stringify(row).includes("CANARY"));
  });

  it("shows no part of a short secret, and only the non-secret part of a pair", () => {
    assert.equal(lastFour({ kind: "apiKey", apiKey: "short-key" }), undefined);
    assert.equal(lastFour({ kind: "accessKey", accessKey: "AKIDEXAMPLE1234", apiSecret: "CANARY" }), "1234");
  });
});

describe("The remaining time", () => {
  it("is shown in at most two units and never rounded up", () => {
    const words = [59_999, 60_000, 3_599_000, 3_600_000, 12_060_000, 172_800_000, -5].map(formatRemaining);
    assert.deepEqual(words, ["59 s", "1 min", "59 min", "1 h", "3 h 21 min", "2 d", "0 s"]);
  });
});
