import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFile, renameFile } from "../../../src/storage/files/heldFile.ts";

/** A system on which another program holds the file for some attempts. */
function held(attempts: number, code: string, platform: NodeJS.Platform = "win32") {
  let left = attempts;
  const calls: string[] = [];
  const attempt = (call: string): void => {
    calls.push(call);
    if (left-- > 0) throw Object.assign(new Error(code), { code });
  };
  return {
    ...{ platform, calls },
    rename: (from: string, to: string) => attempt(`${from} ${to}`),
    remove: (path: string) => attempt(path),
  };
}

describe("A file that another program has open on Windows", () => {
  for (const code of ["EPERM", "EACCES", "EBUSY"])
    it(`is replaced as soon as it is closed (${code})`, () => {
      const system = held(3, code);
      renameFile("a", "b", system);
      assert.deepEqual(system.calls, ["a b", "a b", "a b", "a b"]);
    });

  it("is removed as soon as it is closed", () => {
    const system = held(2, "EBUSY");
    removeFile("a", system);
    assert.equal(system.calls.length, 3);
  });

  it("is reported if it isn't closed within a second", () => {
    const system = held(100, "EBUSY");
    assert.throws(() => renameFile("a", "b", system), { code: "EBUSY" });
    assert.ok(system.calls.length > 5 && system.calls.length < 20);
  });

  it("isn't removed if it is a folder, which may contain anything", () => {
    const folder = mkdtempSync(join(tmpdir(), "held-"));
    writeFileSync(join(folder, "file"), "mine");
    assert.throws(() => removeFile(folder));
    assert.equal(readFileSync(join(folder, "file"), "utf8"), "mine");
    rmSync(folder, { recursive: true });
  });

  it("isn't waited for if the reason is another one, or the system is another one", () => {
    assert.throws(() => renameFile("a", "b", held(1, "ENOENT")), { code: "ENOENT" });
    assert.throws(() => removeFile("a", held(1, "EACCES", "linux")), { code: "EACCES" });
  });
});
