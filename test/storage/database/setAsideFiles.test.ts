import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deleteSetAside, formatFileTime, listSetAside } from "../../../src/storage/database/setAsideFiles.ts";

const day = 86_400_000;
const now = Date.UTC(2026, 0, 31, 12, 34, 56, 789);

describe("Damaged files that were set aside", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "aside-"));
    path = join(folder, "conversations.db");
    for (const suffix of ["", "-wal", "-shm"]) writeFileSync(path + suffix, "current");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function setAside(time: number, sizes: Readonly<Record<string, number>>): string {
    const aside = `${path}.damaged-${formatFileTime(time)}`;
    for (const [suffix, size] of Object.entries(sizes)) writeFileSync(aside + suffix, "x".repeat(size));
    return aside;
  }

  it("are listed with their time and the size of all their parts, the latest first", () => {
    const older = setAside(now - day, { "": 100, "-wal": 20, "-shm": 3 });
    const onlyLog = setAside(now, { "-wal": 7 });
    writeFileSync(`${path}.damaged-by-hand`, "not ours");
    assert.deepEqual(listSetAside(path), [
      { path: onlyLog, setAsideAt: now, bytes: 7 },
      { path: older, setAsideAt: now - day, bytes: 123 },
    ]);
    assert.deepEqual(listSetAside(join(folder, "missing", "conversations.db")), []);
  });

  it("are deleted with their logs, and nothing else is", () => {
    setAside(now - day, { "": 1, "-wal": 1 });
    setAside(now, { "": 1 });
    deleteSetAside(path, now + 15 * day);
    assert.deepEqual(readdirSync(folder).toSorted(), [
      "conversations.db",
      "conversations.db-shm",
      "conversations.db-wal",
    ]);
  });

  it("are deleted after two weeks", () => {
    setAside(now - 15 * day, { "": 1, "-wal": 1 });
    const kept = setAside(now - 13 * day, { "": 1 });
    deleteSetAside(path, now);
    assert.deepEqual(
      listSetAside(path).map((aside) => aside.path),
      [kept],
    );
  });
});
