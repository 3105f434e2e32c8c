import assert from "node:assert/strict";
import { Redaction, redactPatterns } from "../../../src/core/account/redaction.ts";

const secret = "C4n/ary+Sëcret=“9”&x y";

function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [
    text,
    encodeURIComponent(text),
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams({ q: text }).toString().slice(2),
    JSON.stringify(text),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    Buffer.from(`user:${text}`).toString("base64"),
    Buffer.from(`u:${text}:more`).toString("base64"),
  ];
}

describe("Redaction", () => {
  it("redacts a known secret in every encoding in which it is sent", () => {
    const redaction = new Redaction();
    redaction.remember("plain-secret-canary");
    redaction.remember("0123456789abcdefABCDEF");
    for (const known of ["plain-secret-canary", "0123456789abcdefABCDEF"]) {
      for (const form of formsOf(known)) {
        const left = redaction.redact(`before ${form} after`);
        assert.match(left, /^before .*\[redacted\].* after$/s, form);
        assert.ok(!left.includes(form.slice(4, -6)), `${form} left ${left}`);
      }
    }
  });

  it("redacts a secret with characters that every encoding changes", () => {
    const redaction = new Redaction();
    redaction.remember(secret);
    for (const form of formsOf(secret)) {
      const left = redaction.redact(`<${form}>`);
      assert.ok(left.length < 30, `${form} left ${left}`);
    }
  });

  it("redacts the longer of two secrets if one starts with the other", () => {
    const redaction = new Redaction();
    redaction.remember("canary");
    redaction.remember("canary-and-more");
    assert.equal(redaction.redact("x canary-and-more y"), "x [redacted] y");
  });

  it("leaves text unchanged if a secret is too short to be significant", () => {
    const redaction = new Redaction();
    redaction.remember("a");
    redaction.remember(" ");
    assert.equal(redaction.redact("a banana"), "a banana");
  });
});

describe("redactPatterns", () => {
  const hidden = [
    "Authorization: CANARY",
    "authorization:Bearer CANARY",
    "AUTHORIZATION : Basic CANARYCANARY",
    "Cookie: a=b; User-Token-V1=CANARY; c=d",
    "set-cookie: STS-Token=CANARY; Path=/",
    "sts-token: CANARY",
    "X-Api-Key: CANARY",
    '{"authorization":"Bearer CANARY","host":"x"}',
    "{ 'STS-Token': 'CANARY' }",
    '["Authorization","CANARY"]',
    '{\\"token\\":\\"CANARY\\"}',
    '{"apiSecret":"quote \\" CANARY"}',
    '{"api_key": "CANARY"}',
    '{"password":"CANARY"}',
    "https://g.example/gpu/api/v1/servers?access_key=CANARY&nonce=1&x=1",
    "GET /servers?a=1&token=CANARY",
    "GET /servers?STS-Token=CANARY#x",
    "?signature=CANARY",
    "the key Bearer CANARY-token was refused",
    "Incorrect API key provided: sk-CANARY123456",
    "eyJhbGciOiJIUzI1NiJ9.eyJDQU5BUlkiOjF9.CANARY-sig",
    "-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nCANARY",
    "proxy http://user:CANARY@proxy.example:3128",
  ];
  for (const line of hidden) {
    it(`redacts the credential in ${JSON.stringify(line)}`, () => {
      const redacted = redactPatterns(line);
      assert.ok(!redacted.includes("CANARY"), redacted);
      assert.ok(redacted.includes("[redacted]"), redacted);
    });
  }

  it("redacts a nonce and a numeric token", () => {
    assert.equal(redactPatterns("?nonce=1760000000&page=2"), "?nonce=[redacted]&page=2");
    assert.equal(redactPatterns('{"token": 12345}'), '{"token": [redacted]}');
  });

  it("leaves text that isn't a secret unchanged", () => {
    const lines = [
      '{"max_tokens":5,"total_tokens":12,"model":"org/name"}',
      "GET https://g.example/gpu/api/v1/servers?pageIdx=1&max_tokens=5 returned 200 after 12 ms",
      "The API key was refused. Set the API key, then retry.",
      "ERR_SIGNATURE: the clock is 47 s ahead",
    ];
    for (const line of lines) assert.equal(redactPatterns(line), line);
  });

  it("handles long hostile lines in linear time", () => {
    const lines = [
      "eyJaaaaa.".repeat(20_000),
      "token".repeat(40_000),
      '\\"'.repeat(60_000),
      "Bearer ".repeat(30_000),
      "://".repeat(60_000),
      "-----BEGIN KEY".repeat(12_000),
    ];
    for (const line of lines) assert.equal(typeof redactPatterns(line), "string");
  }).timeout(5_000);
});
