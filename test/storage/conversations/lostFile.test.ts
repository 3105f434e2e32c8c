import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { makeBackup } from "../../../src/storage/database/backups.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const madeAt = Date.UTC(2026, 0, 31);

describe("A lost conversations file of which there is a backup", () => {
  let folder: StoreFolder;
  beforeEach(async () => {
    folder = new StoreFolder();
    const store = folder.open();
    for (let i = 0; i < 3; i++) fillConversation(store, `c${i}`, 40, 2_000);
    store.close();
    await makeBackup(loadSqlite(), folder.file, madeAt);
  });
  afterEach(() => folder.remove());

  function assertRestored(store: ConversationStore): void {
    assert.equal(store.list().length, 3);
    assert.equal(store.load("c2")?.messages.length, 40);
    assert.equal(store.load("c2")?.messages[7]?.text.length, 2_000);
    assert.equal(folder.problems.length, 1);
    assert.match(folder.problems[0] ?? "", /120 messages were restored from the backup of .*2026/u);
  }

  const aside = (): readonly string[] =>
    readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-"));

  it("is restored from the backup if it is missing", () => {
    rmSync(folder.file);
    assertRestored(folder.open());
    assert.match(folder.problems[0] ?? "", /was missing or empty/u);
  });

  it("is restored from the backup if it is empty", () => {
    truncateSync(folder.file, 0);
    assertRestored(folder.open());
    assert.match(folder.problems[0] ?? "", /was missing or empty/u);
  });

  it("is restored from the backup if it is cut off within its first page, and the rest is kept", () => {
    truncateSync(folder.file, 700);
    assertRestored(folder.open());
    assert.equal(aside().length, 1);
  });

  it("is restored from the backup if its first page, the list of tables, is overwritten", () => {
    const descriptor = openSync(folder.file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 0xaa), 0, 4096, 0);
    closeSync(descriptor);
    assertRestored(folder.open());
    assert.equal(aside().length, 1);
  });

  it("is set aside with its log, which isn't combined with the new file", () => {
    truncateSync(folder.file, 0);
    writeFileSync(`${folder.file}-wal`, "not a log".repeat(1_000));
    const store = folder.open();
    assertRestored(store);
    assert.ok(aside().some((name) => name.endsWith("-wal")));
  });

  it("is restored by one of two windows that open it at the same time", () => {
    truncateSync(folder.file, 0);
    const [one, other] = [folder.open(), folder.open()];
    assertRestored(one);
    assertRestored(other);
  });

  it("is completed by what a window still has open, which is newer than the backup", () => {
    const store = folder.open();
    fillConversation(store, "new", 5);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(folder.file + suffix, { force: true });
    assert.equal(store.load("new")?.messages.length, 5);
    assert.equal(store.list().length, 4);
    assert.match(folder.problems.join(), /125 messages were recovered/u);
    assert.equal(folder.open().load("new")?.messages.length, 5);
  });

  for (const [what, place, value] of [
    ["seems to be read-only", 18, 0x82],
    ["seems to be of a newer format", 19, 0x42],
    ["seems to have another encoding", 59, 3],
    ["seems to have other pages", 16, 0x20],
    ["is not called a database", 3, 0],
  ] as const)
    it(`is set aside and replaced when a byte of its header is wrong, and it ${what}`, () => {
      const descriptor = openSync(folder.file, "r+");
      writeSync(descriptor, Buffer.of(value), 0, 1, place);
      closeSync(descriptor);
      const store = folder.open();
      assert.equal(store.load("c1")?.messages.length, 40);
      assert.equal(store.load("c1")?.messages[7]?.text.length, 2_000);
      store.save({ type: "message", conversationId: "c1", message: storedMessage("new") });
      store.flush();
      assert.equal(store.load("c1")?.messages.at(-1)?.id, "new");
      assert.match(folder.problems[0] ?? "", /120 messages were (?:recovered|restored)/u);
      assert.equal(aside().length, 1);
    });
});

describe("A conversations file that is lost without a backup", () => {
  it("is reported as lost if it isn't a database", () => {
    const folder = new StoreFolder();
    fillConversation(folder.open(), "c1", 1);
    folder.open().close();
    for (const suffix of ["", "-wal"]) writeFileSync(folder.file + suffix, "no database".repeat(1_000));
    assert.deepEqual(folder.open().list(), []);
    assert.match(folder.problems[0] ?? "", /No messages could be recovered/u);
    folder.remove();
  });
});

describe("A damaged file that can't be replaced", () => {
  it("is left unchanged and reported with advice, as on Windows while another window has it open", function () {
    const folder = new StoreFolder();
    const garbage = "no database at all".repeat(1_000);
    mkdirSync(dirname(folder.file));
    writeFileSync(folder.file, garbage);
    const mount = (...options: readonly string[]): boolean => spawnSync("mount", options).status === 0;
    if (!mount("--bind", folder.file, folder.file)) {
      folder.remove();
      this.skip();
    }
    assert.throws(() => folder.open().load("c1"), /close the other VS Code windows/u);
    spawnSync("umount", ["-l", folder.file]);
    assert.equal(readFileSync(folder.file, "utf8"), garbage);
    assert.deepEqual(readdirSync(dirname(folder.file)), ["conversations.db"]);
    folder.remove();
  });
});
