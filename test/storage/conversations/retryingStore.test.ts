import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationArchive } from "../../../src/core/conversation/conversationStore.ts";
import { RetryingConversationStore } from "../../../src/storage/conversations/retryingConversationStore.ts";
import { StoreFolder, fillConversation, storedMessage } from "../../support/storeFolder.ts";

describe("Conversations whose file can't be opened", () => {
  let folder: StoreFolder;
  let canOpen: boolean;
  let retry: (() => void) | undefined;
  const troubles: (string | undefined)[] = [];
  beforeEach(() => {
    folder = new StoreFolder();
    canOpen = false;
    troubles.length = 0;
  });
  afterEach(() => folder.remove());

  async function start(): Promise<RetryingConversationStore> {
    const store = new RetryingConversationStore({
      open: () => (canOpen ? folder.open() : Promise.reject(new Error("It can't be opened."))),
      onTrouble: (sentence) => troubles.push(sentence),
      schedule(run) {
        retry = run;
        return () => (retry = undefined);
      },
    });
    await store.start();
    return store;
  }

  /** Runs the next attempt until it finishes. */
  async function tryAgain(store: ConversationArchive): Promise<void> {
    const before = troubles.length;
    retry?.();
    while (troubles.length === before) await new Promise((resolve) => setImmediate(resolve));
    store.flush();
  }

  it("are kept in memory with a notice until the file opens", async () => {
    const store = await start();
    fillConversation(store, "c1", 2);
    await tryAgain(store);
    assert.match(troubles.at(-1) ?? "", /^It can't be opened\. New messages are kept in memory/u);
    assert.equal(store.load("c1")?.messages.length, 2);
    canOpen = true;
    await tryAgain(store);
    assert.deepEqual(troubles.at(-1), undefined);
    assert.equal(troubles.length, 3);
  });

  it("are merged into the file once it opens, without loss or duplicates", async () => {
    const before = await folder.open();
    fillConversation(before, "stored", 2);
    before.renameConversation("stored", "My title", "user");
    before.saveDraft("stored", { text: "on disk", attachments: [] });
    before.close();
    const store = await start();
    fillConversation(store, "fresh", 3);
    store.pinConversation("fresh", true);
    store.saveDraft("unsent", { text: "draft", attachments: [] });
    // A restored panel shows nothing of what is stored, and continues.
    store.saveConversation({ id: "stored", title: "New words", createdAt: 9, updatedAt: 9 });
    store.saveMessage("stored", storedMessage("later", { createdAt: 9 }));
    store.saveMessage("stored", storedMessage("reply", { parentId: "later", role: "assistant" }));
    store.saveDraft("stored", { text: "in memory", attachments: [] });
    canOpen = true;
    await tryAgain(store);
    store.close();
    const after = await folder.open();
    assert.deepEqual(
      after
        .list()
        .map(({ id }) => id)
        .toSorted(),
      ["fresh", "stored"],
    );
    assert.equal(after.load("fresh")?.messages.length, 3);
    assert.equal(after.list().find(({ id }) => id === "fresh")?.isPinned, true);
    const stored = after.load("stored");
    assert.equal(stored?.title, "My title");
    assert.deepEqual(
      stored.messages.map(({ id, parentId }) => [id, parentId]),
      [
        ["stored-0", undefined],
        ["stored-1", undefined],
        ["later", "stored-1"],
        ["reply", "later"],
      ],
    );
    assert.deepEqual(after.loadDraft("unsent").text, "draft");
    assert.match(after.loadDraft("stored").text, /on disk[^]*in memory/u);
  });

  it("keep their stored title, settings and time, and continue with the model and version used last", async () => {
    const before = await folder.open();
    const base = { title: "Stored", createdAt: 1, updatedAt: 2, model: "stored/model", leafId: "a" };
    const settings = { systemPrompt: "Be brief." };
    for (const id of ["written", "opened"]) {
      before.saveConversation({ id, ...base, settings });
      for (const message of ["a", "b"]) before.saveMessage(id, storedMessage(message));
    }
    before.saveConversation({ id: "bare", ...base });
    before.close();
    const store = await start();
    const fresh = { title: "New", createdAt: 7, updatedAt: 8, settings: { systemPrompt: "Of a new chat" } };
    store.saveConversation({ id: "written", ...fresh, model: "last/model" });
    store.saveMessage("written", storedMessage("c"));
    store.saveConversation({ id: "opened", ...fresh });
    store.saveConversation({ id: "bare", ...fresh });
    canOpen = true;
    await tryAgain(store);
    const merged = { title: "Stored", createdAt: 1, updatedAt: 8 };
    const { messages, ...written } = store.load("written") ?? assert.fail();
    assert.deepEqual(written, { id: "written", ...merged, settings, model: "last/model" });
    assert.equal(messages.at(-1)?.parentId, "a");
    const { messages: unchanged, ...opened } = store.load("opened") ?? assert.fail();
    assert.deepEqual(opened, { id: "opened", ...merged, settings, model: "stored/model", leafId: "a" });
    assert.equal(unchanged.length, 2);
    assert.deepEqual(store.load("bare")?.settings, fresh.settings);
  });

  it("are sent to sessions that were started without them", async () => {
    const before = await folder.open();
    fillConversation(before, "stored", 2);
    before.close();
    const store = await start();
    const mark = store.changeMark("stored");
    canOpen = true;
    await tryAgain(store);
    assert.equal(store.loadChanges("stored", mark)?.messages.length, 2);
  });

  it("lose nothing of a response that arrives while the file opens", async () => {
    const store = await start();
    fillConversation(store, "c1", 1);
    const message = storedMessage("m", {
      role: "assistant",
      status: "streaming",
      text: "",
      parentId: "c1-0",
    });
    store.saveMessage("c1", message);
    store.appendDelta("c1", "m", { kind: "text", text: "before, " });
    canOpen = true;
    await tryAgain(store);
    store.appendDelta("c1", "m", { kind: "text", text: "after" });
    store.flush();
    assert.equal(store.load("c1")?.messages.at(-1)?.text, "before, after");
  });

  it("are stored again once an exclusive lock is released", async () => {
    (await folder.open()).close();
    const holder = new DatabaseSync(folder.file);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (a); COMMIT");
    canOpen = true;
    const store = await start();
    assert.match(troubles[0] ?? "", /locked/u);
    fillConversation(store, "c1", 2);
    holder.exec("DROP TABLE held");
    holder.close();
    await tryAgain(store);
    assert.equal((await folder.open()).load("c1")?.messages.length, 2);
  });

  it("are stored once the obstacle in place of their folder is removed", async () => {
    writeFileSync(dirname(folder.file), "a file where the folder should be");
    canOpen = true;
    const store = await start();
    fillConversation(store, "c1", 2);
    rmSync(dirname(folder.file));
    mkdirSync(dirname(folder.file));
    await tryAgain(store);
    assert.equal((await folder.open()).load("c1")?.messages.length, 2);
  });
});
