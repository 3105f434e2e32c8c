import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import timers from "node:timers/promises";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { ImportTally } from "../../../src/core/library/import/importTally.ts";
import { GrowthFormat } from "../../../src/storage/conversations/growthFormat.ts";
import { readImportSources } from "../../../src/storage/import/importSources.ts";
import { removeAbandonedCopies } from "../../../src/storage/import/storedConversations.ts";
import { createRandom } from "../../support/random.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

describe("Importing the conversations of another installation", () => {
  let [here, there]: StoreFolder[] = [];
  let [own, other]: ConversationArchive[] = [];

  beforeEach(async () => {
    here = new StoreFolder();
    there = new StoreFolder();
    [own, other] = [await here.open(), await there.open()];
  });

  afterEach(() => {
    here?.remove();
    there?.remove();
  });

  function stores(): readonly [ConversationArchive, ConversationArchive, string] {
    if (own === undefined || other === undefined || there === undefined) return assert.fail();
    return [own, other, there.file];
  }

  async function importFrom(file: string, store: ConversationArchive): Promise<ImportTally> {
    const tally = new ImportTally(store);
    for await (const found of readImportSources([file])) {
      if ("problem" in found) tally.refuse(basename(found.path), found.problem);
      else Array.from(tally.take(found.imported));
    }
    return tally;
  }

  it("leaves no copies behind after a killed import, and doesn't disturb a running one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "leftovers-"));
    const system = mkdtempSync(join(tmpdir(), "inference-gateway-import-"));
    const paths = ["copies-killed", "copies-running", "conversations.db"].map((name) => join(folder, name));
    for (const path of paths) mkdirSync(path);
    const killedAt = new Date(Date.now() - 10 * 3_600_000);
    for (const path of [system, paths[0] ?? "", paths[2] ?? ""]) utimesSync(path, killedAt, killedAt);
    await removeAbandonedCopies(folder, Date.now());
    await removeAbandonedCopies(join(folder, "missing"), Date.now());
    assert.deepEqual(readdirSync(folder).toSorted(), ["conversations.db", "copies-running"]);
    assert.equal(existsSync(system), false);
    rmSync(folder, { recursive: true });
  });

  it("merges both by the IDs of their messages, even while the other one is open", async () => {
    const [store, remote, file] = stores();
    for (const each of [store, remote]) fillConversation(each, "both", 3);
    fillConversation(remote, "remote", 2);
    fillConversation(store, "local", 2);
    store.saveMessage("both", storedMessage("here", { parentId: "both-2", text: "continued here" }));
    remote.saveMessage("both", storedMessage("there", { parentId: "both-2", text: "continued there" }));
    remote.saveMessage("both", storedMessage("end", { parentId: "there" }));
    remote.renameConversation("remote", "Renamed", "user");
    remote.pinConversation("remote", true);
    remote.flush();
    const tally = await importFrom(file, store);
    assert.equal(tally.sentence(), "One conversation was imported. Conversations with new messages: 1.");
    const messages = store.load("both")?.messages.map(({ id, parentId }) => [id, parentId]);
    assert.deepEqual(messages?.slice(3), [
      ["here", "both-2"],
      ["there", "both-2"],
      ["end", "there"],
    ]);
    assert.deepEqual(
      store
        .list()
        .map(({ id }) => id)
        .toSorted(),
      ["both", "local", "remote"],
    );
    const { title, isPinned } = store.load("remote") ?? {};
    assert.deepEqual([title, isPinned], ["Renamed", true]);
  });

  it("misses nothing of a database whose log is emptied while it is copied", async () => {
    const [store, remote, file] = stores();
    fillConversation(remote, "early", 2);
    remote.flush();
    const { copyFile } = promises;
    let copied = 0;
    promises.copyFile = async (from, to) => {
      await copyFile(from, to);
      if (from !== file || ++copied > 1) return;
      fillConversation(remote, "late", 2);
      remote.flush();
      const database = new DatabaseSync(file);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    };
    syncBuiltinESMExports();
    try {
      const tally = await importFrom(file, store);
      assert.equal(tally.sentence(), "2 conversations were imported.");
      assert.equal(store.load("early")?.messages.length, 2);
    } finally {
      promises.copyFile = copyFile;
      syncBuiltinESMExports();
    }
  });

  it("changes nothing the second time, and never changes the imported database", async () => {
    const [store, remote, file] = stores();
    fillConversation(remote, "remote", 2);
    remote.close();
    const bytes = readFileSync(file);
    await importFrom(file, store);
    const first = store.load("remote");
    assert.equal(
      (await importFrom(file, store)).sentence(),
      "No conversation was imported. Already imported: 1.",
    );
    assert.deepEqual(store.load("remote"), first);
    assert.deepEqual(readFileSync(file), bytes);
  });

  it("completes a response that was interrupted here and has arrived there", async () => {
    const [store, remote, file] = stores();
    for (const each of [store, remote]) fillConversation(each, "c", 1);
    const response = { role: "assistant", parentId: "c-0" } as const;
    store.saveMessage("c", storedMessage("r", { ...response, status: "stopped", text: "Par" }));
    remote.saveMessage("c", storedMessage("r", { ...response, text: "Partial and whole" }));
    remote.flush();
    await importFrom(file, store);
    assert.equal(store.load("c")?.messages.at(-1)?.text, "Partial and whole");
  });

  it("includes what a window that was killed has left in its journal", async () => {
    const [store, remote, file] = stores();
    fillConversation(remote, "c", 1);
    remote.saveMessage("c", storedMessage("r", { role: "assistant", status: "streaming", text: "Par" }));
    remote.close();
    const at = { text: 3, reasoning: 0 };
    const growth = { conversationId: "c", messageId: "r", at, text: "tial", reasoning: "" };
    const lines = ['{"host":""}\n', new GrowthFormat().format(growth).toString()];
    writeFileSync(`${file}.growth-left`, lines.join(""));
    await importFrom(file, store);
    assert.equal(store.load("c")?.messages.at(-1)?.text, "Partial");
    assert.ok(existsSync(`${file}.growth-left`));
  });

  /** Files with the right header, by what comes after it. */
  const odd: readonly (readonly [string, () => Buffer])[] = [
    ["text", () => Buffer.from("SQLite format 3\0 and nothing else")],
    ["zeros", () => Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(9_000)])],
    ["noise after a real header", () => withNoise(100)],
    ["noise after a real list of tables", () => withNoise(4_096)],
    [
      "the tables of another program",
      () => otherProgram("CREATE TABLE page (a); INSERT INTO page VALUES (1)"),
    ],
    ["a table with our name", () => otherProgram("CREATE TABLE message (a); INSERT INTO message VALUES (1)")],
  ];

  function withNoise(kept: number): Buffer {
    const [, remote, file] = stores();
    remote.close();
    const random = createRandom(7);
    return Buffer.from(readFileSync(file).map((byte, at) => (at < kept ? byte : random() * 256)));
  }

  function otherProgram(sql: string): Buffer {
    const file = join(there?.folder ?? "", "other.db");
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    return readFileSync(file);
  }

  for (const [what, bytes] of odd)
    it(`refuses a file with a database's header and ${what} at once, and leaves it alone`, async () => {
      const [store] = stores();
      const file = join(here?.folder ?? "", "odd.db");
      const content = bytes();
      writeFileSync(file, content);
      const { setTimeout } = timers;
      let pauses = 0;
      timers.setTimeout = (...options) => {
        pauses++;
        return setTimeout(...options);
      };
      syncBuiltinESMExports();
      try {
        const tally = await importFrom(file, store);
        assert.equal(
          tally.sentence(),
          "No conversation was imported. “odd.db” is damaged or contains no conversations in a supported format.",
        );
      } finally {
        timers.setTimeout = setTimeout;
        syncBuiltinESMExports();
      }
      assert.equal(pauses, 0);
      assert.deepEqual(readFileSync(file), content);
    });

  it("doesn't refuse a database that has no conversations yet", async () => {
    const [store, , file] = stores();
    const tally = await importFrom(file, store);
    assert.equal(tally.sentence(), "No conversation was imported.");
    assert.equal(tally.hasRefused, false);
  });
});
