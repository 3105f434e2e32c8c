import assert from "node:assert/strict";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";

describe("Files with secrets in several diffs", () => {
  const diffOf = (...files: readonly string[]): string =>
    files
      .map(
        (file) =>
          `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-old\n+${file} new\n`,
      )
      .join("");
  const staged = diffOf("src/a.ts", ".env");
  const unstaged = diffOf(".env", "id_rsa", "src/b.ts");
  let guardDiffs: (diffs: readonly string[]) => Promise<readonly string[] | undefined>;

  before(async () => {
    installFakeVscode();
    ({ guardDiffs } = await import("../../../src/vscode/compose/context/ignoreFiles.ts"));
  });
  beforeEach(() => {
    fakeWindow.shown.length = 0;
  });
  afterEach(() => {
    fakeWindow.press = () => undefined;
  });

  it("require one confirmation, with the name of each file", async () => {
    fakeWindow.press = ({ buttons }) => buttons.find((button) => button === "Leave Out");
    const without = await guardDiffs([staged, unstaged]);
    assert.deepEqual(without, [diffOf("src/a.ts"), diffOf("src/b.ts")]);
    assert.equal(fakeWindow.shown.length, 1);
    assert.equal(fakeWindow.shown[0]?.detail, "a/.env b/.env\na/id_rsa b/id_rsa");
    assert.equal(fakeWindow.shown[0].message, "Send changes from 2 files that usually contain secrets?");
    fakeWindow.press = ({ buttons }) => buttons.find((button) => button === "Send");
    assert.deepEqual(await guardDiffs([staged, unstaged]), [staged, unstaged]);
    assert.equal(fakeWindow.shown.length, 2);
  });

  it("are found in colored diffs, and a text that isn't a Git diff is refused", async () => {
    fakeWindow.press = ({ buttons }) => buttons.find((button) => button === "Leave Out");
    const colored = unstaged.replace(/^.+$/gm, "\u001b[1m$&\u001b[m");
    assert.deepEqual(await guardDiffs([colored, ""]), [diffOf("src/b.ts"), ""]);
    assert.equal(fakeWindow.shown[0]?.detail, "a/.env b/.env\na/id_rsa b/id_rsa");
    assert.equal(await guardDiffs([".env --- 1/1 --- Text\n1 KEY=a|KEY=b\n", unstaged]), undefined);
    assert.match(fakeWindow.shown[1]?.message ?? "", /aren't in the format of a Git diff/u);
  });

  it("cancel everything if the question is dismissed, and require no confirmation if there are none", async () => {
    assert.equal(await guardDiffs([staged, unstaged]), undefined);
    assert.equal(fakeWindow.shown.length, 1);
    assert.deepEqual(await guardDiffs([diffOf("src/a.ts"), ""]), [diffOf("src/a.ts"), ""]);
    assert.equal(fakeWindow.shown.length, 1);
  });
});
