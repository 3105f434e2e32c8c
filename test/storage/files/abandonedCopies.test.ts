import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAbandonedCopies } from "../../../src/storage/files/abandonedCopies.ts";

describe("Copies of files on other machines", () => {
  it("are deleted after their window was killed, without disturbing a running import", async () => {
    const folder = mkdtempSync(join(tmpdir(), "leftovers-"));
    const [killed = "", , old = ""] = ["copies-killed", "copies-running", "conversations.db"].map((name) => {
      mkdirSync(join(folder, name));
      return join(folder, name);
    });
    const killedAt = new Date(Date.now() - 10 * 3_600_000);
    for (const path of [killed, old]) utimesSync(path, killedAt, killedAt);
    await removeAbandonedCopies(folder, Date.now());
    await removeAbandonedCopies(join(folder, "missing"), Date.now());
    assert.deepEqual(readdirSync(folder).toSorted(), ["conversations.db", "copies-running"]);
    rmSync(folder, { recursive: true });
  });
});
