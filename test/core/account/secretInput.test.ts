import assert from "node:assert/strict";
import { readSecretInput, parseExpiry } from "../../../src/core/account/secretInput.ts";

describe("readSecretInput", () => {
  const pasted = [
    "  abc123  ",
    "abc123\r\n",
    "abc\n  123",
    '"abc123"',
    "'abc123',",
    "“abc123”",
    "<abc123>",
    "Bearer abc123",
    "bearer   abc123",
    "Authorization: Bearer abc123",
    '"Authorization: Bearer abc123"',
    "STS-Token: abc123",
    "User-Token-V1=abc123",
    "token=abc123",
    "API_KEY=abc123",
    'export MY_API_KEY="abc123";',
    "API Key: abc123",
    "OPENAI_API_KEY: abc123",
    "token: 'abc123'",
    "\ufeffabc\u200b123",
  ];
  for (const input of pasted) {
    it(`finds the key in ${JSON.stringify(input)}`, () => {
      assert.deepEqual(readSecretInput(input), { text: "abc123" });
    });
  }

  it("leaves a plain key unchanged", () => {
    for (const key of [
      "sk-a.b_c~d/e+f==",
      "token==",
      "a:b",
      "token:b",
      "secret",
      "YWJjZGVm=",
      "eyJh.eyJi.c",
    ]) {
      assert.deepEqual(readSecretInput(key), { text: key });
    }
  });

  it("rejects text that can't be a key, without repeating it", () => {
    for (const input of ["", "  ", '""', "two words", "schlüssel", "••••••", "your-api-key", "Bearer "]) {
      const reading = readSecretInput(input);
      assert.ok("problem" in reading, input);
      assert.ok(input.length < 6 || !reading.problem.includes(input), input);
    }
  });

  it("accepts any characters in a secret that is only used for signing", () => {
    for (const secret of ["gehe1m ß", "k9Qx2!vT;", "k9Qx2!vT,", "a'b\"c;"])
      assert.deepEqual(readSecretInput(` ${secret}\n`, "signs"), { text: secret });
    assert.deepEqual(readSecretInput('"k9Qx2!vT",', "signs"), { text: "k9Qx2!vT" });
  });

  it("accepts keys of self-hosted servers that look like placeholders", () => {
    for (const key of ["my-secret-key-123", "my-key", "my_token", "your-team-7f3a"])
      assert.deepEqual(readSecretInput(key), { text: key });
  });

  it("rejects what only a shell, an editor or a pipeline would replace", () => {
    for (const input of [
      "$OPENAI_API_KEY",
      "${OPENAI_API_KEY}",
      "API_KEY=${env:API_KEY}",
      '"${input:key}"',
      "Bearer $TOKEN",
      "$env:API_KEY",
      "%API_KEY%",
      "${{ secrets.API_KEY }}",
      "{{api_key}}",
    ])
      for (const use of ["sent", "signs"] as const)
        assert.match(JSON.stringify(readSecretInput(input, use)), /problem.*variable/, input);
    for (const key of ["$2b$12$abc", "pa$WORD", "$ecret", "a%20b%"])
      assert.deepEqual(readSecretInput(key), { text: key });
  });

  it("rejects a web page", () => {
    for (const page of ["<html>login</html>", "<!DOCTYPE html><title>Sign in</title>"])
      assert.match(JSON.stringify(readSecretInput(page)), /problem/);
  });
});

const now = new Date(2026, 10, 21, 14, 0, 0).getTime();

function read(text: string): number | string {
  const reading = parseExpiry(text, now);
  return "expiresAt" in reading ? (reading.expiresAt - now) / 60_000 : reading.problem;
}

describe("A token expiry entered by the user", () => {
  it("can be a duration from now", () => {
    assert.equal(read("55m"), 55);
    assert.equal(read(" 1h 30m "), 90);
    assert.equal(read("90 minutes"), 90);
    assert.equal(read("2 days, 1 hour"), 49 * 60);
    assert.equal(read("3600s"), 60);
  });

  it("can be a time of day, meaning its next occurrence", () => {
    assert.equal(read("14:30"), 30);
    assert.equal(read("13:59"), 23 * 60 + 59);
  });

  it("can be a date and time, in local time unless it names a zone, or a Unix time", () => {
    assert.equal(read("2026-11-21 15:00"), 60);
    assert.equal(read(new Date(now + 3_600_000).toISOString()), 60);
    assert.equal(read(String(now / 1_000 + 60)), 1);
    assert.equal(read(String(now + 60_000)), 1);
    assert.equal(read("2026-11-21"), 10 * 60 - 1 / 60);
  });

  it("is rejected with the reason if it isn't valid", () => {
    for (const text of ["", "soon", "55", "25:00", "2026-13-45 10:00", "m5", "-5m"]) {
      assert.match(String(read(text)), /^Enter a duration/, text);
    }
    assert.match(String(read("2020-01-01 10:00")), /in the past/);
    assert.match(String(read("0m")), /in the past/);
    assert.match(String(read("9999d")), /too far in the future/);
  });
});
