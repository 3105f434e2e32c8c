import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What Mocha reports as JSON, of which only this is read. */
interface Report {
  readonly passes: readonly { readonly title: string }[];
  readonly failures: readonly { readonly title: string; readonly err: { readonly message: string } }[];
}

/** The tests of `failingTests.ts`, and what is said about each. */
const expected: Readonly<Record<string, RegExp>> = {
  throws: /Error: thrown/,
  rejects: /Error: rejected/,
  "reports an error": /Error: reported/,
  "reports an error before it is loaded again": /Error: early/,
  "requests something from elsewhere": /Request to https:\/\/elsewhere\.example\/a\.png/,
  "violates its policy": /policy's script-src-elem was violated/,
  "sets an inline style": /policy's style-src-attr was violated/,
  "requests a file that doesn't exist": /404.*\/missing\.js/,
  "opens a dialog": /A dialog: Hello/,
  "is closed": /closed/,
  "never ends": /Timeout/,
  "isn't prepared": /unprepared/,
};

function runFailingTests(): Promise<Report> {
  const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const mocha = path("../../../node_modules/mocha/bin/mocha.js");
  const options = ["--reporter", "json", "--timeout", "60000", path("failingTests.ts")];
  return new Promise((resolve) => {
    // It exits with an error, because tests fail.
    execFile(process.execPath, [mocha, ...options], (_, output) =>
      resolve(JSON.parse(output.slice(output.indexOf("{\n")))),
    );
  });
}

describe("A page test", () => {
  it("fails for what goes wrong in the page while it runs, and the tests after it still pass", async () => {
    const { passes, failures } = await runFailingTests();
    assert.deepEqual(
      failures.map(({ title }) => title),
      Object.keys(expected),
    );
    for (const { title, err } of failures) assert.match(err.message, expected[title] ?? /^$/, title);
    assert.deepEqual(
      passes.map(({ title }) => title),
      Object.keys(expected).map((title) => `works after a test in which it ${title}`),
    );
  }).timeout(120_000);
});
