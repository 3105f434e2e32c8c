import assert from "node:assert/strict";
import {
  createCredential,
  credentialKinds,
  isRefusalReason,
  isSameKey,
  refusedKind,
  secretKinds,
  secretTexts,
} from "../../../src/core/account/credentialKinds.ts";
import type { CredentialPlace } from "../../../src/core/account/credentialKinds.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { parseSecretKey } from "../../../src/core/account/secretEntries.ts";
import { SecretVault } from "../../../src/core/account/secretVault.ts";
import { errorReasons } from "../../../src/core/kernel/errors.ts";
import { readParameters } from "../../../src/core/servers/actions/signedRequest.ts";
import { MemoryIndex, MemorySecrets } from "../../support/memorySecrets.ts";

const value = "Zq81-not-a-known-format";

function credentialOf(kind: (typeof secretKinds)[number], text = value) {
  const credential = createCredential(kind, (part) => `${text}-${part}`);
  assert.ok(credential, kind);
  return credential;
}

function placesOf(kind: (typeof secretKinds)[number]): readonly CredentialPlace[] {
  return Object.values(credentialKinds[kind].places);
}

describe("Every kind of credential", () => {
  for (const kind of secretKinds) {
    it(`${kind}: is built only when all of its fields are present`, () => {
      const credential = credentialOf(kind);
      assert.equal(credential.kind, kind);
      const parts = Object.keys(credentialKinds[kind].parts);
      assert.deepEqual(
        secretTexts(credential),
        parts.map((part) => `${value}-${part}`),
      );
      for (const missing of parts) {
        assert.equal(
          createCredential(kind, (part) => (part === missing ? "" : value)),
          undefined,
        );
      }
    });

    it(`${kind}: equals the same key and differs from another one`, () => {
      assert.equal(isSameKey(credentialOf(kind), credentialOf(kind, value)), true);
      assert.equal(isSameKey(credentialOf(kind), credentialOf(kind, "other")), false);
    });

    it(`${kind}: is deleted when signing out of one profile or of all profiles`, async () => {
      const [profile] = parseProfiles([
        { name: "Cloud", inferenceBaseUrl: "https://a.example/v1", gatewayUrl: "https://g.example" },
      ]).profiles;
      assert.ok(profile);
      for (const only of ["Cloud", undefined]) {
        const store = new MemorySecrets();
        const context = { store, index: new MemoryIndex(), redaction: new Redaction(), now: () => 1_000 };
        const vault = new SecretVault(context);
        await vault.store(profile, credentialOf(kind));
        assert.deepEqual([...store.entries.keys()].map(parseSecretKey), [{ profileName: "Cloud", kind }]);
        assert.equal(await vault.wipe(only), 1);
        assert.equal(store.entries.size, 0);
        vault.dispose();
      }
    });

    it(`${kind}: is redacted in logs wherever it appears`, () => {
      for (const place of placesOf(kind)) {
        const line = lineWith(place);
        assert.doesNotMatch(new Redaction().redact(line), new RegExp(value), line);
      }
    });

    it(`${kind}: can't be set by a query parameter or a profile in the settings`, () => {
      for (const place of placesOf(kind)) {
        if ("parameter" in place) {
          assert.ok("problem" in readParameters(`${place.parameter}=${value}`), place.parameter);
          const entry = { name: "A", serverListQuery: { [place.parameter]: value } };
          assert.deepEqual(parseProfiles([entry]).profiles[0]?.serverListQuery, {}, place.parameter);
        }
        if ("header" in place) {
          const entry = { name: "A", headers: { [place.header]: value } };
          assert.deepEqual(parseProfiles([entry]).profiles[0]?.headers, {}, place.header);
        }
      }
    });

    it(`${kind}: has its own error reason for being rejected`, () => {
      const own = errorReasons.filter((reason) => refusedKind(reason) === kind);
      assert.equal(own.length, 1);
      assert.ok(own.every(isRefusalReason));
    });
  }
});

function lineWith(place: CredentialPlace): string {
  if ("header" in place) return `${place.header}: ${value}`;
  return "cookie" in place
    ? `Cookie: ${place.cookie}=${value}`
    : `GET /servers?${place.parameter}=${value}&a=b`;
}
