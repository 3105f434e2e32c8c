import assert from "node:assert/strict";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { formatProfiles, placeProfile, readProfileFile } from "../../../src/core/account/profileFile.ts";

const all = [
  { name: "Small", inferenceBaseUrl: "https://a.example/v1" },
  {
    name: "Full",
    inferenceBaseUrl: "https://b.example/v1",
    gatewayUrl: "https://g.example",
    gatewayCredential: "stsToken",
    sessionTokenCarrier: "cookie",
    stsTokenCarrier: "query",
    signatureEncoding: "base64",
    signatureEmptyValues: "keep",
    serverListQuery: { region: "eu" },
    headers: { "X-Org": "1" },
    allowInsecureHttp: true,
    apiKeyOptional: true,
    production: true,
    color: "blue",
  },
];

describe("A profile export", () => {
  it("can be imported again without changes and omits default values", () => {
    const { profiles } = parseProfiles(all);
    const text = formatProfiles(profiles);
    assert.deepEqual(JSON.parse(text), { "inferenceGateway.profiles": all });
    assert.deepEqual(readProfileFile(text), { profiles, problems: [] });
  });

  it("contains no secret, whatever the settings contain", () => {
    const value = [
      {
        name: "A",
        inferenceBaseUrl: "https://a.example/v1",
        apiKey: "CANARY",
        headers: { Authorization: "CANARY" },
      },
    ];
    assert.ok(!formatProfiles(parseProfiles(value).profiles).includes("CANARY"));
  });

  it("may be a list or a single profile, with or without a byte order mark", () => {
    const [first] = all;
    for (const value of [all, { profiles: all }, first]) {
      const read = readProfileFile(`\ufeff${JSON.stringify(value)}`);
      assert.equal(read.profiles[0]?.name, "Small");
    }
  });

  it("reports what is wrong with it", () => {
    for (const text of ["", "hello", "{}", "[]", "null", '{"profiles":7}', "A=1\nB=2"]) {
      const read = readProfileFile(text);
      assert.deepEqual(read.profiles, [], text);
      assert.equal(read.problems.length, 1, text);
    }
  });
});

describe("The name of an imported profile", () => {
  const { profiles } = parseProfiles([...all, { ...all[0], name: "Small (2)" }]);

  it("never replaces a different existing profile", () => {
    const [small] = profiles;
    assert.ok(small);
    assert.deepEqual(placeProfile(profiles, { ...small, name: "New" }), { name: "New", isNew: true });
    assert.deepEqual(placeProfile(profiles, small), { name: "Small", isNew: false });
    const moved = { ...small, inferenceBaseUrl: "https://evil.example/v1" };
    assert.deepEqual(placeProfile(profiles, moved), { name: "Small (3)", isNew: true });
  });
});
