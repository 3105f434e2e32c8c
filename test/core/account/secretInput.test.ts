import assert from "node:assert/strict";
import { readSecretInput } from "../../../src/core/account/secretInput.ts";

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
    "\ufeffabc\u200b123",
  ];
  for (const input of pasted) {
    it(`finds the key in ${JSON.stringify(input)}`, () => {
      assert.deepEqual(readSecretInput(input), { text: "abc123" });
    });
  }

  it("leaves a plain key unchanged", () => {
    for (const key of ["sk-a.b_c~d/e+f==", "token==", "a:b", "secret", "YWJjZGVm=", "eyJh.eyJi.c"]) {
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
    assert.deepEqual(readSecretInput(" gehe1m ß ", "signs"), { text: "gehe1m ß" });
  });
});
