import assert from "node:assert/strict";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { DatabaseFile } from "../../../src/storage/database/databaseFile.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { sqliteTrouble } from "../../../src/storage/database/sqliteTrouble.ts";
import { StoreFolder, fillConversation } from "../../support/storeFolder.ts";

const thread = new URL("../../../src/storage/conversations/storageThread.ts", import.meta.url);

const counted = { statements: 0 };

class CountingDatabase extends DatabaseSync {
  override prepare(sql: string): StatementSync {
    counted.statements++;
    return super.prepare(sql);
  }
}

describe("A large damaged conversations file", () => {
  let folder: StoreFolder;
  const problems: string[] = [];
  beforeEach(() => {
    folder = new StoreFolder();
    problems.length = 0;
    counted.statements = 0;
  });
  afterEach(() => folder.remove());

  function fill(): void {
    const store = folder.open();
    for (let i = 0; i < 3; i++) fillConversation(store, `c${i}`, 40, 20_000);
    store.close();
  }

  /** Overwrites the root of an index, without which everything can still be read. */
  function damage(): void {
    const database = new DatabaseSync(folder.file);
    const find = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'message_by_revision'");
    const page = Number(find.get()?.["rootpage"]);
    database.close();
    const descriptor = openSync(folder.file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 0xaa), 0, 4096, (page - 1) * 4096);
    closeSync(descriptor);
  }

  function databaseFile(): DatabaseFile {
    return new DatabaseFile({ ...loadSqlite(), DatabaseSync: CountingDatabase }, folder.file, {
      now: Date.now,
      onProblem: (sentence) => void problems.push(sentence),
      thread,
    });
  }

  it("is recovered in a thread, while every attempt to open it returns at once", async () => {
    fill();
    damage();
    const file = databaseFile();
    let attempts = 0;
    let open: ReturnType<DatabaseFile["open"]> | undefined;
    while (open === undefined) {
      try {
        open = file.open();
      } catch (error) {
        assert.equal(sqliteTrouble(error), "busy", String(error));
        attempts++;
        await setTimeout(20);
      }
    }
    assert.ok(attempts > 0);
    // Each copied row requires a separate statement.
    assert.ok(counted.statements < 100, `${counted.statements} statements`);
    assert.equal(open.database.prepare("SELECT count(*) AS count FROM message").get()?.["count"], 120);
    open.database.close();
    assert.match(problems.join(), /120 messages were recovered/u);
    assert.ok(!existsSync(`${folder.file}.recovering`));
  }).timeout(30_000);

  it("is opened by a store as soon as the thread has recovered it", async () => {
    fill();
    damage();
    const store = folder.open(Date.now, () => 0, { thread });
    assert.throws(() => store.load("c2"), /is being recovered/u);
    store.save({ type: "draft", conversationId: "c2", draft: { text: "typed meanwhile", attachments: [] } });
    assert.equal((await store.loadInSlices("c2", () => Promise.resolve()))?.messages.length, 40);
    assert.equal(store.loadDraft("c2").text, "typed meanwhile");
    assert.equal(folder.problems.length, 1);
  }).timeout(30_000);

  it("isn't touched while another window recovers it", () => {
    fill();
    damage();
    writeFileSync(`${folder.file}.recovering`, "");
    assert.throws(
      () => databaseFile().open(),
      (error) => sqliteTrouble(error) === "busy",
    );
    assert.deepEqual(
      readdirSync(dirname(folder.file)).filter((name) => name.includes(".damaged-")),
      [],
    );
  });

  it("is recovered from where it was set aside if the window that did so has ended", () => {
    fill();
    const aside = join(dirname(folder.file), `${basename(folder.file)}.damaged-2026-01-31T00-00-00-000Z`);
    renameSync(folder.file, aside);
    writeFileSync(`${folder.file}.recovering`, aside);
    const past = new Date(Date.now() - 60_000);
    utimesSync(`${folder.file}.recovering`, past, past);
    const store = folder.open();
    assert.equal(store.list().length, 3);
    assert.equal(store.load("c1")?.messages.length, 40);
    assert.match(folder.problems.join(), /120 messages were recovered/u);
  });
});
