import assert from "node:assert/strict";
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { schemaSteps } from "../../../src/storage/database/schemaSteps.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

const firstSchema = readFileSync(new URL("../../fixtures/conversations-1.sql", import.meta.url), "utf8");

describe("A conversations file with the first schema", () => {
  let folder: StoreFolder;
  beforeEach(() => {
    folder = new StoreFolder();
    mkdirSync(dirname(folder.file));
  });
  afterEach(() => folder.remove());

  function createOldFile(): DatabaseSync {
    const database = new DatabaseSync(folder.file);
    database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; ${firstSchema}`);
    return database;
  }

  it("keeps all its content, with each message following the one before it", async () => {
    createOldFile().close();
    const store = await folder.open();
    const conversation = store.load("old");
    assert.equal(conversation?.title, "From before");
    assert.deepEqual(
      conversation.messages.map(({ id, parentId, text }) => [id, parentId, text]),
      [
        ["q1", undefined, "first question"],
        ["a1", "q1", "first answer"],
        ["q2", "a1", "second question"],
      ],
    );
    assert.deepEqual(conversation.messages[0]?.attachments, [
      { type: "image", mediaType: "image/png", data: "aGk=" },
    ]);
    assert.deepEqual(store.loadDraft("old"), { text: "half a thought", attachments: [] });
    assert.deepEqual(folder.problems, []);
  });

  it("supports versions, settings and drafts with attachments after the migration", async () => {
    createOldFile().close();
    const store = await folder.open();
    const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    store.saveMessage("old", storedMessage("a1b", { role: "assistant", parentId: "q1" }));
    store.saveDraft("old", { text: "", attachments: [image] });
    store.pinConversation("old", true);
    store.close();
    const again = await folder.open();
    assert.equal(again.load("old")?.messages.at(-1)?.parentId, "q1");
    assert.deepEqual(again.loadDraft("old").attachments, [image]);
    assert.equal(again.list()[0]?.isPinned, true);
  });

  it("supports tags and workspaces in a file from an earlier version, whose content is kept", async () => {
    const old = new DatabaseSync(folder.file);
    for (const step of schemaSteps.slice(0, 6)) old.exec(step);
    old.exec(`PRAGMA user_version = 6;
      INSERT INTO conversation (id, title, created_at, updated_at, is_pinned) VALUES ('old', 'Old', 1, 2, 1)`);
    old.close();
    const store = await folder.open();
    const before = store.listVersion();
    assert.deepEqual(store.list(), [{ id: "old", title: "Old", createdAt: 1, updatedAt: 2, isPinned: true }]);
    store.tagConversation("old", ["a"]);
    assert.notEqual(store.listVersion(), before);
    store.close();
    assert.deepEqual((await folder.open()).list()[0]?.tags, ["a"]);
  });

  it("can still be written by an old window that has it open", async () => {
    const old = createOldFile();
    const store = await folder.open();
    old.exec(`
      INSERT INTO message (conversation_id, id, role, status, created_at, text, reasoning, details)
        VALUES ('old', 'a2', 'assistant', 'complete', 14, 'from the old window', '', '{}');
      DELETE FROM message WHERE id = 'q1';`);
    old.close();
    assert.deepEqual(
      store.load("old")?.messages.map(({ id, parentId }) => [id, parentId]),
      [
        ["a1", undefined],
        ["q2", "a1"],
        ["a2", "q2"],
      ],
    );
  });

  it("is recovered even if its first page is lost after the migration", async () => {
    createOldFile().close();
    const store = await folder.open();
    fillConversation(store, "new", 20, 8_000);
    store.saveDraft("new", { text: "d", attachments: [{ type: "text", text: "long", title: "a.txt" }] });
    store.close();
    const descriptor = openSync(folder.file, "r+");
    writeSync(descriptor, Buffer.alloc(4096, 0xaa), 0, 4096, 0);
    closeSync(descriptor);
    const recovered = await folder.open();
    assert.equal(recovered.load("old")?.messages.length, 3);
    assert.equal(recovered.load("new")?.messages.length, 20);
    assert.equal(recovered.loadDraft("new").attachments.length, 1);
  });
});
