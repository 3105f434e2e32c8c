import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { isWithin, realTarget } from "../../../src/storage/files/realTarget.ts";

describe("The real target of a path", () => {
  let root: string;
  let inside: string;
  let outside: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "links-")));
    inside = join(root, "workspace");
    outside = join(root, "outside");
    mkdirSync(join(inside, "src"), { recursive: true });
    mkdirSync(outside);
    writeFileSync(join(inside, "src", "a.ts"), "");
    writeFileSync(join(outside, "secret.txt"), "");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const leavesBy = async (path: string): Promise<boolean> => !isWithin(await realTarget(path), inside);

  it("is the path itself if it contains no link", async () => {
    assert.equal(await realTarget(join(inside, "src", "a.ts")), join(inside, "src", "a.ts"));
    assert.equal(
      await realTarget(join(inside, "src", "..", "src", "new", "b.ts")),
      join(inside, "src", "new", "b.ts"),
    );
  });

  it("is found through links to files, folders and other links", async () => {
    symlinkSync(join(outside, "secret.txt"), join(inside, "notes.md"));
    symlinkSync(outside, join(inside, "docs"));
    symlinkSync("notes.md", join(inside, "again.md"));
    symlinkSync("src", join(inside, "sources"));
    assert.equal(await leavesBy(join(inside, "notes.md")), true);
    assert.equal(await leavesBy(join(inside, "docs", "secret.txt")), true);
    assert.equal(await leavesBy(join(inside, "docs")), true);
    assert.equal(await leavesBy(join(inside, "again.md")), true);
    assert.equal(await leavesBy(join(inside, "sources", "a.ts")), false);
  });

  it("is where a file that doesn't exist yet would be created", async () => {
    symlinkSync(outside, join(inside, "docs"));
    symlinkSync(join(outside, "later.txt"), join(inside, "dangling.txt"));
    symlinkSync(join("..", "outside", "deep", "later.txt"), join(inside, "relative.txt"));
    symlinkSync("src/later.ts", join(inside, "later.ts"));
    assert.equal(await realTarget(join(inside, "docs", "new", "b.ts")), join(outside, "new", "b.ts"));
    assert.equal(await realTarget(join(inside, "dangling.txt")), join(outside, "later.txt"));
    assert.equal(await realTarget(join(inside, "relative.txt")), join(outside, "deep", "later.txt"));
    assert.equal(await leavesBy(join(inside, "later.ts")), false);
  });

  it("is rejected if links form a circle", async () => {
    symlinkSync(join(inside, "b"), join(inside, "a"));
    symlinkSync(join(inside, "a"), join(inside, "b"));
    await assert.rejects(realTarget(join(inside, "a")));
    await assert.rejects(realTarget(join(inside, "a", "c.ts")));
  });

  it("is in a folder only if whole path segments match", () => {
    assert.equal(isWithin(`${inside}${sep}a`, inside), true);
    assert.equal(isWithin(inside, inside), true);
    assert.equal(isWithin(`${inside}-other${sep}a`, inside), false);
    assert.equal(isWithin(root, inside), false);
    assert.equal(isWithin(`${inside}${sep}..a`, inside), true);
  });
});
