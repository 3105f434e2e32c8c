import assert from "node:assert/strict";
import { readCredentialExpiry, readTokenExpiry } from "../../../src/core/account/storedSecret.ts";

function jwt(claims: unknown): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}

describe("The expiry of a token", () => {
  it("is read from its exp claim, in milliseconds", () => {
    assert.equal(readTokenExpiry(jwt({ sub: "Žofie 🦊", exp: 1_800_000_000 })), 1_800_000_000_000);
    assert.equal(readTokenExpiry(jwt({ exp: 1_800_000_000.75 })), 1_800_000_000_750);
  });

  it("is unknown if the token isn't a JWT or has no exp claim", () => {
    const dubious = [
      "",
      "abc",
      "a.b.c",
      "..",
      jwt({}),
      jwt([]),
      jwt(null),
      jwt({ exp: "soon" }),
      jwt({ exp: 0 }),
      jwt({ exp: -5 }),
      jwt({ exp: 1e300 }),
      `${jwt({ exp: 1_800_000_000 })}.more`,
      `x.${"A".repeat(70_000)}.y`,
    ];
    for (const token of dubious) assert.equal(readTokenExpiry(token), undefined, token.slice(0, 80));
  });

  it("is read for tokens and API keys, never for an access key", () => {
    const token = jwt({ exp: 1_800_000_000 });
    assert.equal(readCredentialExpiry({ kind: "stsToken", token }), 1_800_000_000_000);
    assert.equal(readCredentialExpiry({ kind: "accessKey", accessKey: token, apiSecret: token }), undefined);
  });
});
