import assert from "node:assert/strict";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { DatabaseFile } from "../../../src/storage/database/databaseFile.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { sqliteTrouble } from "../../../src/storage/database/sqliteTrouble.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

describe("A lost conversations file whose log still exists", () => {
  let folder: StoreFolder;
  let crashed: StoreFolder;
  beforeEach(() => {
    folder = new StoreFolder();
    crashed = new StoreFolder();
    mkdirSync(dirname(crashed.file));
  });
  afterEach(() => {
    folder.remove();
    crashed.remove();
  });

  /** Leaves the files as a killed host does, with everything in the log. */
  async function crash(): Promise<void> {
    const store = await folder.open();
    for (let i = 0; i < 3; i++) fillConversation(store, `c${i}`, 40, 2_000);
    store.saveDraft("c1", { text: "half a thought", attachments: [] });
    store.flush();
    for (const suffix of ["", "-wal"]) copyFileSync(folder.file + suffix, crashed.file + suffix);
  }

  async function recover(): Promise<ConversationArchive> {
    const log = readFileSync(`${crashed.file}-wal`);
    const store = await crashed.open();
    const aside = readdirSync(dirname(crashed.file)).find((name) => /\.damaged-.*-wal$/u.test(name));
    assert.ok(aside !== undefined, "the log is kept");
    assert.deepEqual(readFileSync(`${dirname(crashed.file)}/${aside}`), log);
    assert.equal(crashed.problems.length, 1);
    assert.match(crashed.problems[0] ?? "", /120 messages were recovered/u);
    return store;
  }

  function isWhole(store: ConversationArchive): void {
    assert.equal(store.list().length, 3);
    assert.equal(store.load("c2")?.messages.length, 40);
    assert.equal(store.load("c2")?.messages[7]?.text.length, 2_000);
    assert.equal(store.loadDraft("c1").text, "half a thought");
  }

  it("is restored from the log if it is empty", async () => {
    await crash();
    truncateSync(crashed.file, 0);
    isWhole(await recover());
  });

  it("is restored from the log if it is missing", async () => {
    await crash();
    rmSync(crashed.file);
    isWhole(await recover());
  });

  it("is restored from the log if it is cut off within its first page", async () => {
    await crash();
    truncateSync(crashed.file, 700);
    const store = await crashed.open();
    isWhole(store);
  });

  it("is restored as far as possible if the log is cut off or damaged too", async () => {
    await crash();
    truncateSync(crashed.file, 0);
    const log = `${crashed.file}-wal`;
    truncateSync(log, Math.floor(statSync(log).size * 0.8));
    const descriptor = openSync(log, "r+");
    writeSync(descriptor, Buffer.alloc(3_000, 0xaa), 0, 3_000, Math.floor(statSync(log).size * 0.6));
    closeSync(descriptor);
    const store = await crashed.open();
    const kept = store.list().reduce((sum, { id }) => sum + (store.load(id)?.messages.length ?? 0), 0);
    assert.ok(kept > 50 && kept < 120, `${kept} of 120 messages`);
    assert.equal(crashed.problems.length, 1);
  });

  it("is reported as lost if its log isn't a log", async () => {
    await crash();
    truncateSync(crashed.file, 0);
    writeFileSync(`${crashed.file}-wal`, "not a log".repeat(1_000));
    const store = await crashed.open();
    assert.deepEqual(store.list(), []);
    assert.match(crashed.problems[0] ?? "", /No messages could be recovered/u);
    assert.ok(readdirSync(dirname(crashed.file)).some((name) => name.includes(".damaged-")));
  });

  it("is recovered by one of two windows that open at the same time", async () => {
    await crash();
    truncateSync(crashed.file, 0);
    const [one, other] = await Promise.all([crashed.open(), crashed.open()]);
    isWhole(one);
    isWhole(other);
    assert.equal(crashed.problems.length, 1);
  });
});

describe("A conversations file with an invalid header", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  async function createWithHeader(place: number, value: number): Promise<ConversationArchive> {
    const store = await folder.open();
    fillConversation(store, "c1", 30, 500);
    store.close();
    const descriptor = openSync(folder.file, "r+");
    writeSync(descriptor, Buffer.of(value), 0, 1, place);
    closeSync(descriptor);
    return folder.open();
  }

  for (const [what, place, value] of [
    ["seems to be read-only", 18, 0x82],
    ["seems to be of a newer format", 19, 0x42],
    ["seems to have another encoding", 59, 3],
    ["seems to have other pages", 16, 0x20],
    ["is not called a database", 3, 0],
  ] as const) {
    it(`is set aside and still recovered when it ${what}`, async () => {
      const store = await createWithHeader(place, value);
      assert.equal(store.load("c1")?.messages.length, 30);
      store.saveMessage("c1", storedMessage("new"));
      store.flush();
      assert.equal(store.load("c1")?.messages.at(-1)?.id, "new");
      assert.match(folder.problems[0] ?? "", /30 messages were recovered/u);
    });
  }

  it("is recovered without its first page even after a VACUUM", async () => {
    const store = await folder.open();
    fillConversation(store, "c1", 200, 500);
    store.close();
    const database = new DatabaseSync(folder.file);
    database.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    const descriptor = openSync(folder.file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 0xaa), 0, 4096, 0);
    closeSync(descriptor);
    assert.equal((await folder.open()).load("c1")?.messages.length, 200);
  });
});

describe("A damaged file that can't be moved away", () => {
  it("is left unchanged and reported with advice, as on Windows while another window has it open", () => {
    const folder = new StoreFolder();
    mkdirSync(dirname(folder.file));
    writeFileSync(folder.file, "no database at all".repeat(1_000));
    const file = new DatabaseFile(loadSqlite(), folder.file, {
      now: () => 0,
      onProblem: assert.fail,
      move() {
        throw Object.assign(new Error("EBUSY: resource busy or locked"), {
          code: "EBUSY",
          syscall: "rename",
        });
      },
    });
    assert.throws(
      () => file.open(),
      (error: unknown) => {
        assert.match(String(error), /close the other VS Code windows/u);
        assert.equal(sqliteTrouble(error), "refused");
        return true;
      },
    );
    assert.ok(existsSync(folder.file));
    folder.remove();
  });
});
