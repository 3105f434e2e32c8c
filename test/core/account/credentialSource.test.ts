import assert from "node:assert/strict";
import { formatSource } from "../../../src/core/account/formatSource.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { createProfileEntry } from "../../../src/core/account/profileFile.ts";
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

  it("survives an export", () => {
    const options = {
      gatewayCredential: "stsToken",
      credentialCommand: { apiKey: ["vault", "print"] },
      credentialFile: { stsToken: "~/.token" },
    };
    const { profile } = read(options);
    assert.deepEqual(parseProfiles([createProfileEntry(profile)]).profiles, [profile]);
  });

  for (const [value, problem] of [
    ["vault print", /must be a list of a program and its arguments/],
    [[], /must be a list/],
    [["./token.sh"], /absolute path/],
    [["bin/token"], /absolute path/],
    [["vault", 5], /must be a list/],
    [{ accessKey: ["vault"] }, /can't supply “accessKey”/],
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

  for (const [text, problem] of [
    ["", /empty/],
    ["\n\n", /empty/],
    ["line 1\nline 2", /more than one line/],
    ['{"token":', /isn't valid JSON/],
    ['{"name":"x"}', /without a field/],
    ["[]", /without a field/],
    ["not a token at all", /isn't a credential/],
    ["<html>", /./],
  ] as const) {
    it(`is refused if it is ${JSON.stringify(text)}`, () => {
      const reading = readSupplied(text, "stsToken", at);
      if (text !== "<html>") assert.match("problem" in reading ? reading.problem : "", problem);
    });
  }
});
