import assert from "node:assert/strict";
import { placesOf, replaceWithVariable, secretVariable } from "../../../src/core/account/secretVariable.ts";

describe("A stored secret in a file", () => {
  it("is found at the start, inside and at the end", () => {
    const secret = "canary-secret-0001";
    const text = `${secret} x${secret}y\n${secret}`;
    assert.deepEqual(
      placesOf(text, secret).map(({ start, end }) => [start, text.slice(start, end)]),
      [0, 20, 40].map((start) => [start, secret]),
    );
    assert.deepEqual(placesOf(secret.slice(1), secret), []);
    assert.deepEqual(placesOf("", secret), []);
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
