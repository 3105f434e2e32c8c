import assert from "node:assert/strict";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";

const good = { name: "Good", inferenceBaseUrl: "https://a.example/v1", gatewayUrl: "https://g.example" };

function parseOne(entry: Readonly<Record<string, unknown>>): {
  profile: Profile;
  problems: readonly string[];
} {
  const { profiles, problems } = parseProfiles([{ ...good, ...entry }]);
  const profile = profiles[0];
  assert.ok(profile);
  return { profile, problems };
}

describe("parseProfiles", () => {
  it("uses the default of every option that isn't set", () => {
    assert.deepEqual(parseProfiles([good]), {
      profiles: [
        {
          ...good,
          gatewayCredential: "accessKey",
          sessionTokenCarrier: "header",
          stsTokenCarrier: "header",
          signature: { encoding: "hex", emptyValues: "omit" },
          serverListQuery: {},
          headers: {},
          allowInsecureHttp: false,
        },
      ],
      problems: [],
    });
  });

  it("reads every option that is set", () => {
    const { profile, problems } = parseOne({
      gatewayCredential: "stsToken",
      sessionTokenCarrier: "ouCookie",
      stsTokenCarrier: "query",
      signatureEncoding: "base64",
      signatureEmptyValues: "keep",
      serverListQuery: { pageIdx: 1, pageSize: "50" },
      headers: { "X-Organization-Id": "42" },
      allowInsecureHttp: true,
    });
    assert.deepEqual(problems, []);
    assert.equal(profile.gatewayCredential, "stsToken");
    assert.equal(profile.sessionTokenCarrier, "ouCookie");
    assert.equal(profile.stsTokenCarrier, "query");
    assert.deepEqual(profile.signature, { encoding: "base64", emptyValues: "keep" });
    assert.deepEqual(profile.serverListQuery, { pageIdx: "1", pageSize: "50" });
    assert.deepEqual(profile.headers, { "X-Organization-Id": "42" });
    assert.equal(profile.allowInsecureHttp, true);
  });

  it("removes trailing slashes and pasted endpoint paths from base URLs", () => {
    const { profile } = parseOne({
      inferenceBaseUrl: " https://A.example:443/v1/chat/completions/ ",
      gatewayUrl: "https://g.example/prefix/gpu/api/v1/servers",
    });
    assert.equal(profile.inferenceBaseUrl, "https://a.example/v1");
    assert.equal(profile.gatewayUrl, "https://g.example/prefix");
  });

  it("keeps a base URL without /v1 and warns about it", () => {
    const { profile, problems } = parseOne({ inferenceBaseUrl: "https://a.example/api" });
    assert.equal(profile.inferenceBaseUrl, "https://a.example/api");
    assert.match(problems.join(), /“Good”.*doesn't end with \/v1/);
  });

  it("warns that no credentials are sent over plain HTTP to another machine, unless that is allowed", () => {
    const url = "http://a.example/v1";
    assert.match(parseOne({ inferenceBaseUrl: url }).problems.join(), /plain HTTP/);
    assert.deepEqual(parseOne({ inferenceBaseUrl: url, allowInsecureHttp: true }).problems, []);
    assert.deepEqual(parseOne({ inferenceBaseUrl: "http://127.0.0.1:1/v1" }).problems, []);
  });

  it("keeps the valid entries next to every kind of invalid one", () => {
    const bad = [null, 7, "x", [], {}, { name: "" }, { name: "a\u0000b", gatewayUrl: "https://g.example" }];
    const { profiles, problems } = parseProfiles([...bad, good]);
    assert.deepEqual(
      profiles.map(({ name }) => name),
      ["Good"],
    );
    assert.equal(problems.length, bad.length);
    for (const problem of problems) assert.match(problem, /^Profile \d.*\.$/);
  });

  it("reports a second profile with the same name and uses the first", () => {
    const { profiles, problems } = parseProfiles([
      good,
      { name: " Good ", gatewayUrl: "https://evil.example" },
    ]);
    assert.deepEqual(
      profiles.map(({ gatewayUrl }) => gatewayUrl),
      ["https://g.example"],
    );
    assert.match(problems.join(), /Two profiles are named “Good”/);
  });

  it("replaces an invalid option with its default and lists the allowed values", () => {
    const { profile, problems } = parseOne({ gatewayCredential: "AK", allowInsecureHttp: "yes", headers: 3 });
    assert.equal(profile.gatewayCredential, "accessKey");
    assert.equal(profile.allowInsecureHttp, false);
    assert.equal(problems.length, 3);
    assert.match(problems.join(), /accessKey, sessionToken, stsToken/);
  });

  it("accepts only a list", () => {
    assert.deepEqual(parseProfiles(undefined), { profiles: [], problems: [] });
    assert.match(parseProfiles({ name: "x" }).problems.join(), /must be a list/);
  });
});

describe("parseProfiles and credentials", () => {
  const canary = "CANARY-5f2c9a";

  it("rejects headers that contain credentials, in any letter case", () => {
    const names = [
      "authorization",
      "Proxy-Authorization",
      "COOKIE",
      "X-API-Key",
      "api-key",
      "STS-Token",
      "X-Auth-Type",
      "x-goog-api-key",
      "Ocp-Apim-Subscription-Key",
      "X-Signature",
    ];
    for (const name of names) {
      const { profile, problems } = parseOne({ headers: { [name]: canary } });
      assert.deepEqual(profile.headers, {}, name);
      assert.match(problems.join(), /contains a credential/, name);
      assert.ok(!problems.join().includes(canary), name);
    }
  });

  it("rejects a credential under a harmless name", () => {
    const { profile } = parseOne({ headers: { "X-Extra": `Bearer ${canary}`, "X-More": "sk-abcdefgh1234" } });
    assert.deepEqual(profile.headers, {});
  });

  it("rejects headers that would break the request", () => {
    const headers = { Host: "evil.example", "X-A": "a\r\nX-Evil: 1", "Bad Name": "x" };
    assert.deepEqual(parseOne({ headers }).profile.headers, {});
  });

  it("rejects query parameters that the gateway's own authentication uses", () => {
    const serverListQuery = {
      access_key: canary,
      nonce: "1",
      signature: "x",
      token: canary,
      "STS-Token": canary,
    };
    const { profile, problems } = parseOne({ serverListQuery: { ...serverListQuery, pageToken: "p" } });
    assert.deepEqual(profile.serverListQuery, { pageToken: "p" });
    assert.equal(problems.length, 5);
  });

  it("never repeats a secret that was written into a URL or an option", () => {
    const { profiles, problems } = parseProfiles([
      {
        name: "Leaky",
        inferenceBaseUrl: `https://user:${canary}@a.example/v1`,
        gatewayUrl: `https://g.example?token=${canary}`,
        apiKey: canary,
      },
      { name: "Query", inferenceBaseUrl: `https://a.example/v1?api_key=${canary}` },
    ]);
    assert.equal(problems.length, 4);
    assert.match(problems.join(), /“apiKey” must not be stored in settings/);
    assert.ok(!JSON.stringify([profiles, problems]).includes(canary));
  });

  it("accepts a production flag and only colors that every theme has", () => {
    const { profiles, problems } = parseProfiles([
      { name: "A", gatewayUrl: "https://a.example", production: true, color: "red" },
      { name: "B", gatewayUrl: "https://a.example", production: false, color: "pink" },
    ]);
    const marks = profiles.map(({ production, color }) => [production, color]);
    assert.deepEqual(marks, [
      [true, "red"],
      [undefined, undefined],
    ]);
    assert.match(problems.join(), /“B”: “color” must be one of red, .*ignored/);
  });
});
