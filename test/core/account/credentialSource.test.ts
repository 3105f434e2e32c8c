import assert from "node:assert/strict";
import { formatSource } from "../../../src/core/account/formatSource.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { readSupplied } from "../../../src/core/account/secretInput.ts";

const urls = { inferenceBaseUrl: "https://a.example.com/v1", gatewayUrl: "https://b.example.com" };

function read(options: Readonly<Record<string, unknown>>) {
  const { profiles, problems } = parseProfiles([{ name: "Cloud", ...urls, ...options }]);
  assert.ok(profiles[0]);
  return { profile: profiles[0], sources: profiles[0].credentialSources, problems };
}

describe("The source of a credential in a profile", () => {
  it("supplies the gateway's token, or the API key if requests to the gateway are signed", () => {
    const credentialCommand = ["vault", "print"];
    const source = { from: "command", command: credentialCommand };
    assert.deepEqual(read({ credentialCommand }).sources, { apiKey: source });
    assert.deepEqual(read({ credentialCommand, gatewayCredential: "stsToken" }).sources, {
      stsToken: source,
    });
    const both = { apiKey: ["vault", "print"], sessionToken: ["sso", "token"] };
    assert.deepEqual(Object.keys(read({ credentialCommand: both }).sources ?? {}), [
      "apiKey",
      "sessionToken",
    ]);
  });

  for (const [value, problem] of [
    ["vault print", /must be a list of a program and its arguments/],
    [[], /must be a list/],
    [["./token.sh"], /absolute path/],
    [["bin/token"], /absolute path/],
    [["vault", 5], /must be a list/],
    [
      { password: ["vault"] },
      /can't supply “password”\. Use one of: apiKey, accessKey, sessionToken, stsToken/,
    ],
    [["curl", "-H", "Bearer abcdefgh12345"], /contains a credential/],
  ] as const) {
    it(`is refused with a sentence if the command is ${JSON.stringify(value)}`, () => {
      const { sources, problems } = read({ credentialCommand: value });
      assert.equal(sources, undefined);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", problem);
      assert.equal(problems.join().includes("abcdefgh12345"), false);
    });
  }

  it("is refused if another option supplies the same credential", () => {
    const { sources, problems } = read({
      credentialCommand: ["vault"],
      credentialVariable: "EXAMPLE_API_KEY",
    });
    assert.deepEqual(sources, { apiKey: { from: "command", command: ["vault"] } });
    assert.match(problems.join(), /“credentialVariable” is ignored/);
  });

  it("is shown in a form in which no argument can be mistaken for several", () => {
    assert.equal(
      formatSource({ from: "command", command: ["/bin/sh", "-c", "rm x; echo y", ""] }),
      '/bin/sh -c "rm x; echo y" ""',
    );
  });
});

describe("What a source supplies", () => {
  const at = Date.UTC(2026, 0, 1);
  const inAnHour = at + 3_600_000;
  const token = "token-1234567";
  for (const [text, expiresAt] of [
    [`${token}\n`, undefined],
    [`\ufeff  "${token}"  `, undefined],
    [`Bearer ${token}`, undefined],
    [JSON.stringify({ token, expires_in: 3_600 }), inAnHour],
    [JSON.stringify({ sts_token: token, expiresAt: new Date(inAnHour).toISOString() }), inAnHour],
    [JSON.stringify({ access_token: token, expires_at: inAnHour / 1_000 }), inAnHour],
    [JSON.stringify({ Credentials: { SessionToken: token, Expiration: new Date(inAnHour) } }), inAnHour],
    [JSON.stringify({ status: { token, expirationTimestamp: new Date(inAnHour) } }), inAnHour],
    [JSON.stringify({ lease_duration: 3_600, data: { value: token } }), inAnHour],
  ] as const) {
    it(`is read from ${text.trim().slice(0, 60)}`, () => {
      assert.deepEqual(readSupplied(text, "stsToken", at), {
        credential: { kind: "stsToken", token },
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
    });
  }

  for (const [expiry, minutes] of [
    [{ Expiration: "20260101T010000Z" }, 60],
    [{ Expiration: "2026-01-01T01:00:00.123456789Z" }, 60],
    [{ Expiration: "2026-01-01T10:00:00+09:00[Asia/Tokyo]" }, 60],
    [{ Expiration: "2026-01-01 10:00:00 +0900 JST" }, 60],
    [{ Expiration: "Thu, 01 Jan 2026 01:00:00 GMT" }, 60],
    [{ Expiration: (at + 3_600_000) * 1e6 }, 60],
    [{ Expiration: (at + 3_600_000) * 1e3 }, 60],
    [{ expires: 3_600 }, 60],
    [{ expires_in: "3600s" }, 60],
    [{ ttl: "PT1H" }, 60],
    [{ token_expiry: "2026-01-01T01:00:00Z" }, 60],
    [{ Expiration: "" }, undefined],
    [{ Expiration: "soon" }, undefined],
    [{ expiry: "0001-01-01T00:00:00Z" }, undefined],
    [{ Expiration: 1e30 }, undefined],
  ] as const) {
    it(`expires after ${minutes} minutes according to ${JSON.stringify(expiry)}`, () => {
      const reading = readSupplied(JSON.stringify({ token, ...expiry }), "stsToken", at);
      assert.ok("credential" in reading);
      const left =
        reading.expiresAt === undefined ? undefined : Math.floor((reading.expiresAt - at) / 60_000);
      assert.equal(left, minutes);
    });
  }

  for (const zone of ["Asia/Tokyo", "America/Los_Angeles", "UTC"]) {
    it(`expires neither before now nor later than written without a zone, in ${zone}`, () => {
      const own = process.env["TZ"];
      process.env["TZ"] = zone;
      try {
        const local = new Date(at + 3_600_000).toLocaleString("sv");
        for (const time of ["2026-01-01T01:00:00", "2026-01-01T01:00:00.123456", local, `${local}.000000`]) {
          const reading = readSupplied(JSON.stringify({ token, expiresOn: time }), "stsToken", at);
          const expiresAt = "credential" in reading ? (reading.expiresAt ?? 0) : 0;
          assert.ok(expiresAt > at && expiresAt < inAnHour + 1_000, time);
        }
      } finally {
        if (own === undefined) delete process.env["TZ"];
        else process.env["TZ"] = own;
      }
    });
  }

  it("can be a key pair in the form of credential_process, but not a single text", () => {
    const pair = { Version: 1, AccessKeyId: "AKEXAMPLE", SecretAccessKey: "k9Qx2!vT;" };
    const credential = { kind: "accessKey", accessKey: "AKEXAMPLE", apiSecret: "k9Qx2!vT;" };
    for (const json of [pair, { Credentials: pair }, { access_key: "AKEXAMPLE", api_secret: "k9Qx2!vT;" }])
      assert.deepEqual(readSupplied(JSON.stringify(json), "accessKey", at), { credential });
    assert.deepEqual(
      readSupplied(JSON.stringify({ ...pair, Expiration: new Date(inAnHour) }), "accessKey", at),
      { credential, expiresAt: inAnHour },
    );
    assert.match(JSON.stringify(readSupplied('{"AccessKeyId":"AK"}', "accessKey", at)), /without a field/);
    assert.match(JSON.stringify(readSupplied("AKEXAMPLE", "accessKey", at)), /isn't a credential/);
  });

  for (const [text, problem] of [
    ["", /empty/],
    ["\n\n", /empty/],
    ["line 1\nline 2", /more than one line/],
    ['{"token":', /isn't valid JSON/],
    ['{"name":"x"}', /without a field/],
    ["[]", /without a field/],
    ["not a token at all", /isn't a credential/],
    ["<html>login</html>", /isn't a credential/],
    ["null", /isn't a credential/],
  ] as const) {
    it(`is refused if it is ${JSON.stringify(text)}`, () => {
      const reading = readSupplied(text, "stsToken", at);
      assert.match("problem" in reading ? reading.problem : "", problem);
    });
  }
});
