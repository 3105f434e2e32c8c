import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { findFingerprints, fingerprintOf } from "../../../src/core/account/secretFingerprints.ts";
import { replaceWithVariable, secretVariable } from "../../../src/core/account/secretVariable.ts";

let hashed = 0;
const hash = (text: string): string => {
  hashed++;
  return createHash("sha256").update(text).digest("hex");
};

function find(text: string, ...secrets: readonly string[]): readonly string[] {
  const prints = secrets.flatMap((secret) => fingerprintOf(secret, hash) ?? []);
  const pieces = findFingerprints(text, prints, hash);
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value.map(({ start, end }) => `${start}:${text.slice(start, end)}`);
  }
}

describe("A stored secret in a file", () => {
  it("is found at the start, inside and at the end, without the fingerprint containing it", () => {
    const secret = "canary-secret-0001";
    const text = `${secret} x${secret}y\n${secret}`;
    assert.deepEqual(find(text, secret, "another-secret"), [`0:${secret}`, `20:${secret}`, `40:${secret}`]);
    assert.equal(JSON.stringify(fingerprintOf(secret, hash)).includes("canary"), false);
    assert.deepEqual(find(secret.slice(1), secret), []);
    assert.deepEqual(find("", secret), []);
    assert.equal(fingerprintOf("short", hash), undefined);
  });

  it("is found by work that grows no faster than the file, whatever the file repeats", () => {
    const secret = "a".repeat(39) + "b";
    const count = (length: number): number => {
      hashed = 0;
      find("a".repeat(length), secret);
      return hashed;
    };
    assert.deepEqual([count(10_000), count(20_000)], [1, 1]);
    hashed = 0;
    // Every position has the right sum, so the number of exact comparisons is limited.
    find("a".repeat(50_000), "a".repeat(40));
    assert.ok(hashed <= 1_002);
  });
});

describe("A secret that is replaced with a variable", () => {
  const secret = "canary-secret-0001";
  for (const [languageId, before, after] of [
    ["python", `key = "${secret}"`, 'key = os.environ["MY_CLOUD_API_KEY"]'],
    ["python", `h = 'Bearer ${secret}'`, `h = 'Bearer ' + os.environ["MY_CLOUD_API_KEY"] + ''`],
    ["typescript", `const key = '${secret}';`, "const key = process.env.MY_CLOUD_API_KEY;"],
    ["javascript", "`Bearer " + secret + "`", "`Bearer ${process.env.MY_CLOUD_API_KEY}`"],
    ["shellscript", `curl -H "Bearer ${secret}"`, 'curl -H "Bearer ${MY_CLOUD_API_KEY}"'],
    ["shellscript", `curl -H 'Bearer ${secret}'`, `curl -H 'Bearer '"\${MY_CLOUD_API_KEY}"''`],
    ["powershell", `$key = "${secret}"`, '$key = "$env:MY_CLOUD_API_KEY"'],
    ["yaml", `key: "${secret}"`, 'key: "${MY_CLOUD_API_KEY}"'],
    ["go", `key := "${secret}"`, 'key := os.Getenv("MY_CLOUD_API_KEY")'],
  ] as const) {
    it(`is read as ${languageId} does: ${after}`, () => {
      const start = before.indexOf(secret);
      const name = secretVariable("My Cloud!", "apiKey");
      const edit = replaceWithVariable(before, { start, end: start + secret.length }, languageId, name);
      assert.equal(`${before.slice(0, edit.start)}${edit.text}${before.slice(edit.end)}`, after);
    });
  }

  it("gets a name that a shell accepts", () => {
    assert.equal(secretVariable("", "stsToken"), "STS_TOKEN");
    assert.equal(secretVariable("1 größer", "sessionToken"), "_1_GR_SSER_SESSION_TOKEN");
  });
});
