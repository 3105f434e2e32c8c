import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { emptyDraft } from "../../../src/core/conversation/conversationStore.ts";
import { PanelDraft } from "../../../src/core/panel/panelDraft.ts";
import { SearchIndex } from "../../../src/storage/search/searchIndex.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { Vacuum } from "../../../src/storage/database/storageCleaner.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

/** Represents a secret that must not be in any file once it was masked, replaced or deleted. */
const canary = "qzjxkv-CANARY-7731-wvqpz";
const firstSchema = readFileSync(new URL("../../fixtures/conversations-1.sql", import.meta.url), "utf8");
const vacuumThread = new URL("../../../src/storage/database/vacuumThread.ts", import.meta.url);

describe("A stored secret", () => {
  let folder: StoreFolder;
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => folder.remove());

  function filesWith(text: string): readonly string[] {
    const top = dirname(folder.file);
    const entries = readdirSync(top, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes(text));
  }

  /** Any remains are removed shortly afterward, in the background. */
  async function becomesClean(): Promise<void> {
    for (let tries = 0; tries < 200 && filesWith(canary).length > 0; tries++) await setTimeout(100);
    assert.deepEqual(filesWith(canary), []);
  }

  /** Two windows, because closing the only one would remove the log. */
  async function openTwice(): Promise<ConversationArchive> {
    await folder.open();
    const store = await folder.open();
    fillConversation(store, "c1", 30, 3_000);
    return store;
  }

  it("is nowhere on disk while the guard waits for a decision, or after “Mask and Send”", async () => {
    const store = await openTwice();
    const draft = new PanelDraft("c1", store);
    draft.receive({ text: `my key is ${canary}` });
    store.flush();
    assert.notDeepEqual(filesWith(canary), []);
    draft.hold({ text: `my key is ${canary}`, attachments: [] }, { text: "my key is •••", attachments: [] });
    await becomesClean();
    assert.equal(draft.load().text, `my key is ${canary}`);
    store.saveMessage("c1", storedMessage("masked", { text: "my key is •••" }));
    draft.keep(emptyDraft);
    await setTimeout(200);
    await becomesClean();
  });

  it("is erased when its message is edited in place or deleted", async () => {
    const store = await openTwice();
    store.saveMessage("c1", storedMessage("edited", { text: `${canary} `.repeat(500) }));
    store.saveMessage("c1", storedMessage("deleted", { text: canary, reasoning: canary.repeat(900) }));
    store.flush();
    store.search(canary);
    assert.notDeepEqual(filesWith(canary), []);
    store.saveMessage("c1", storedMessage("edited", { text: "nothing" }));
    store.deleteMessage("c1", "deleted");
    await becomesClean();
  });

  it("is erased with its conversation: title, texts, attachments and draft", async () => {
    const store = await openTwice();
    const file = { type: "text", text: `${canary}\n`.repeat(2_000), title: canary } as const;
    store.saveConversation({ id: "secret", title: canary, createdAt: 1, updatedAt: 1 });
    for (let i = 0; i < 120; i++)
      store.saveMessage("secret", storedMessage(`s${i}`, { text: `${canary}${i}`, attachments: [file] }));
    store.saveDraft("secret", { text: canary, attachments: [file] });
    store.flush();
    store.search(canary);
    store.deleteConversation("secret");
    store.purgeConversation("secret");
    await becomesClean();
    assert.equal(store.load("c1")?.messages.length, 30);
  });

  it("is erased when the window that deleted its conversation closes", async () => {
    const store = await openTwice();
    fillConversation(store, "secret", 3);
    store.saveMessage("secret", storedMessage("s", { text: canary }));
    store.deleteConversation("secret");
    store.close();
    assert.deepEqual(filesWith(canary), []);
  });

  it("is erased from a file in which deletions weren't overwritten yet, and the rest is unharmed", async () => {
    mkdirSync(dirname(folder.file));
    const old = new DatabaseSync(folder.file);
    old.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; ${firstSchema}`);
    old.exec(
      `INSERT INTO draft VALUES ('gone', '${canary}'); DELETE FROM draft WHERE conversation_id = 'gone'`,
    );
    old.close();
    assert.deepEqual(filesWith(canary), [folder.file]);
    const store = await folder.open();
    await new Vacuum(vacuumThread).run(folder.file);
    assert.deepEqual(filesWith(canary), []);
    assert.equal(store.load("old")?.messages.length, 3);
    assert.equal(store.loadDraft("old").text, "half a thought");
    store.close();
    const again = new DatabaseSync(folder.file);
    assert.deepEqual(again.prepare("SELECT task FROM housekeeping").all(), []);
    again.close();
  });

  /** Messages in the search index of all windows. */
  function indexedCount(): number {
    const index = new DatabaseSync(`${folder.file}.search1`, { readOnly: true });
    const { count } = index.prepare("SELECT count(*) AS count FROM words_docsize").get() ?? {};
    index.close();
    return Number(count);
  }

  for (const [what, remove] of [
    ["message is deleted", (store) => store.deleteMessage("secret", "s")],
    [
      "conversation is deleted permanently",
      (store) => {
        store.deleteConversation("secret");
        store.purgeConversation("secret");
      },
    ],
  ] as const satisfies readonly (readonly [string, (store: ConversationArchive) => void])[])
    it(`leaves the search index when its ${what}, even if nothing is saved afterward`, async () => {
      const store = await folder.open();
      fillConversation(store, "secret", 0);
      store.saveMessage("secret", storedMessage("s", { text: canary }));
      assert.equal(store.search(canary).hits.length, 1);
      // Nothing is left to do for the indexer.
      await setTimeout(1_500);
      assert.equal(indexedCount(), 1);
      remove(store);
      for (let tries = 0; tries < 100 && indexedCount() > 0; tries++) await setTimeout(100);
      assert.equal(indexedCount(), 0);
    });

  it("can't be reconstructed from the search index once its message is deleted", () => {
    const path = join(dirname(folder.file), "index");
    const index = new SearchIndex(loadSqlite(), path);
    index.prepare(() => undefined);
    for (let seq = 1; seq <= 2_000; seq++) index.put([{ seq, text: `lorem ipsum ${seq}` }]);
    index.put([{ seq: 5_000, text: canary }]);
    index.put([{ seq: 5_000, text: undefined }]);
    assert.ok(index.hasTraces);
    while (index.scrubSome());
    assert.ok(!index.hasTraces);
    assert.deepEqual([...index.find(["lorem"])].length, 2_000);
    index.close();
    assert.deepEqual(filesWith("qzj"), []);
  });
});
