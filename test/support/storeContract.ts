import assert from "node:assert/strict";
import type { ConversationArchive } from "../../src/core/conversation/conversationStore.ts";
import { emptyDraft } from "../../src/core/conversation/conversationStore.ts";
import { fillConversation, storedMessage } from "./storeFolder.ts";

const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const file = { type: "text", text: "let a;", title: "src/a.ts:1-1" } as const;

/** The behavior of every conversation store, wherever it stores them. */
export function describeStoreContract(open: () => Promise<ConversationArchive>): void {
  it("keeps parents, settings, seams, times and attachment titles", async () => {
    const store = await open();
    const settings = {
      systemPrompt: "Be brief.",
      parameters: { temperature: 0, stop: ["\n"] },
      tools: ["f"],
    };
    const question = storedMessage("q", { attachments: [file, image] });
    const answer = storedMessage("a", {
      role: "assistant",
      parentId: "q",
      seams: [3, 9],
      timing: { firstDeltaMs: 12, reasoningMs: 5, totalMs: 90 },
      settings,
    });
    const bare = { id: "c1", title: "One", createdAt: 1, updatedAt: 2 };
    const fields = { ...bare, settings, leafId: "a" };
    store.saveConversation(fields);
    for (const message of [question, answer]) store.saveMessage("c1", message);
    assert.deepEqual(store.load("c1"), { ...fields, messages: [question, answer] });
    store.saveConversation(bare);
    assert.deepEqual(store.load("c1"), { ...bare, messages: [question, answer] });
  });

  it("keeps a conversation pinned until it is unpinned, whatever else is saved", async () => {
    const store = await open();
    fillConversation(store, "c1", 1);
    store.pinConversation("c1", true);
    fillConversation(store, "c1", 1);
    assert.equal(store.list()[0]?.isPinned, true);
    assert.equal(store.load("c1")?.isPinned, true);
    store.pinConversation("c1", false);
    assert.equal(store.list()[0]?.isPinned, undefined);
    store.pinConversation("unknown", true);
    assert.equal(store.load("unknown"), undefined);
  });

  it("keeps tags in their normal form and the workspace of the start, whatever else is saved", async () => {
    const store = await open();
    fillConversation(store, "c1", 1);
    assert.equal(store.list()[0]?.tags, undefined);
    const { createdAt, updatedAt } = store.list()[0] ?? { createdAt: 0, updatedAt: 0 };
    const fields = { id: "c1", title: "Title", createdAt, updatedAt };
    store.saveConversation({ ...fields, workspace: "file:///first" });
    store.saveConversation({ ...fields, workspace: "file:///second" });
    store.tagConversation("c1", ["work", "#Home ", "WORK"]);
    fillConversation(store, "c1", 1);
    for (const stored of [store.list()[0], store.load("c1")])
      assert.deepEqual([stored?.tags, stored?.workspace], [["Home", "work"], "file:///first"]);
    store.deleteConversation("c1");
    store.restoreConversation("c1");
    assert.deepEqual(store.load("c1")?.tags, ["Home", "work"]);
    store.tagConversation("c1", []);
    assert.equal(store.list()[0]?.tags, undefined);
    store.tagConversation("unknown", ["x"]);
    assert.equal(store.load("unknown"), undefined);
  });

  it("finds conversations by their tags, alone or along with words", async () => {
    const store = await open();
    for (const id of ["c1", "c2", "c3"]) fillConversation(store, id, 1);
    store.saveMessage("c1", storedMessage("w1", { text: "a needle" }));
    store.saveMessage("c3", storedMessage("w3", { text: "a needle" }));
    store.tagConversation("c1", ["Work"]);
    store.tagConversation("c2", ["work", "to do"]);
    const found = (query: string): readonly string[] =>
      store
        .search(query)
        .hits.map(({ conversation }) => conversation.id)
        .toSorted();
    assert.deepEqual(found("tag:wor"), ["c1", "c2"]);
    assert.deepEqual(found('tag:work tag:"to do"'), ["c2"]);
    assert.deepEqual(found("needle tag:work"), ["c1"]);
    assert.deepEqual(found("needle"), ["c1", "c3"]);
    assert.deepEqual(found("tag:none"), []);
    assert.equal(store.search("tag:work").extent, "all");
  });

  it("attaches the replies of a deleted message to the one before it", async () => {
    const store = await open();
    fillConversation(store, "c1", 0);
    store.saveMessage("c1", storedMessage("m1"));
    store.saveMessage("c1", storedMessage("m2", { parentId: "m1" }));
    store.saveMessage("c1", storedMessage("m3", { parentId: "m2" }));
    store.deleteMessage("c1", "m2");
    assert.equal(store.load("c1")?.messages[1]?.parentId, "m1");
    store.deleteMessage("c1", "m1");
    assert.equal(store.load("c1")?.messages[0]?.parentId, undefined);
  });

  it("keeps the attachments of a draft until it is cleared or its conversation is deleted", async () => {
    const store = await open();
    fillConversation(store, "c1", 1);
    store.saveDraft("c1", { text: "", attachments: [file, image] });
    assert.deepEqual(store.loadDraft("c1"), { text: "", attachments: [file, image] });
    store.saveDraft("c1", { text: "look", attachments: [image] });
    assert.deepEqual(store.loadDraft("c1"), { text: "look", attachments: [image] });
    store.deleteConversation("c1");
    assert.deepEqual(store.loadDraft("c1"), emptyDraft);
    store.saveDraft("c2", { text: "", attachments: [image] });
    store.saveDraft("c2", emptyDraft);
    assert.deepEqual(store.loadDraft("c2"), emptyDraft);
  });

  it("restores a deleted conversation completely", async () => {
    const store = await open();
    fillConversation(store, "c1", 2);
    store.pinConversation("c1", true);
    store.saveDraft("c1", { text: "half", attachments: [image] });
    const [conversation, draft] = [store.load("c1"), store.loadDraft("c1")];
    store.deleteConversation("c1");
    assert.deepEqual([store.list(), store.load("c1")], [[], undefined]);
    assert.deepEqual(store.search("Title").hits, []);
    store.restoreConversation("c1");
    assert.deepEqual([store.load("c1"), store.loadDraft("c1")], [conversation, draft]);
    assert.equal(store.list().length, 1);
  });

  it("restores a deleted conversation when someone continues it", async () => {
    const store = await open();
    fillConversation(store, "c1", 2);
    store.deleteConversation("c1");
    fillConversation(store, "c1", 3);
    assert.equal(store.load("c1")?.messages.length, 3);
  });

  it("never overwrites a title that the user chose", async () => {
    const store = await open();
    const fields = { id: "c1", title: "first words", createdAt: 1, updatedAt: 1 };
    store.saveConversation(fields);
    store.renameConversation("c1", "Thought up", "model");
    store.saveConversation(fields);
    assert.deepEqual([store.list()[0]?.title, store.list()[0]?.titleSource], ["Thought up", "model"]);
    store.renameConversation("c1", "Mine", "user");
    store.renameConversation("c1", "Thought up again", "model");
    store.saveConversation(fields);
    assert.deepEqual([store.load("c1")?.title, store.load("c1")?.titleSource], ["Mine", "user"]);
    store.renameConversation("c1", "Mine again", "user");
    assert.equal(store.load("c1")?.title, "Mine again");
  });

  it("changes its version when the list may have changed", async () => {
    const store = await open();
    const seen = new Set<string>();
    const changes = [
      () => fillConversation(store, "c1", 0),
      () => store.pinConversation("c1", true),
      () => store.tagConversation("c1", ["a"]),
      () => store.renameConversation("c1", "New", "user"),
      () => store.deleteConversation("c1"),
      () => store.restoreConversation("c1"),
    ];
    for (const change of changes) {
      change();
      seen.add(store.listVersion());
    }
    assert.equal(seen.size, changes.length);
    assert.equal(store.listVersion(), [...seen].at(-1));
  });

  it("finds titles and messages that contain all words, in any letter case, with some context", async () => {
    const store = await open();
    fillConversation(store, "c1", 0);
    fillConversation(store, "c2", 1);
    store.saveMessage(
      "c1",
      storedMessage("m1", { text: `${"before ".repeat(30)}The Needle in\nthe Haystack` }),
    );
    store.saveMessage("c1", storedMessage("m2", { parentId: "m1", text: "a needle" }));
    const [hit, ...others] = store.search("haystack NEEDLE").hits;
    assert.deepEqual(others, []);
    assert.equal(hit?.conversation.id, "c1");
    assert.equal(hit.isInTitle, false);
    assert.equal(hit.messages[0]?.messageId, "m1");
    assert.match(hit.messages[0].snippet, /^….*before The Needle in the Haystack$/u);
    const titles = store.search("title").hits.filter(({ isInTitle }) => isInTitle);
    assert.deepEqual(new Set(titles.map(({ conversation }) => conversation.id)), new Set(["c1", "c2"]));
    assert.deepEqual(store.search('"needle in"').hits[0]?.messages.length, 1);
    for (const query of ["", "  ", "nowhere", '"'] as const)
      assert.deepEqual(store.search(query).hits, [], query);
  });

  it("finds text without spaces, and words of one or two characters", async () => {
    const store = await open();
    const texts = {
      cjk: "如何连接数据库？",
      ja: "検索する",
      short: "Is C# or Go better for AI?",
      emoji: "ship 🚀 it",
    };
    for (const [id, text] of Object.entries(texts)) {
      store.saveConversation({ id, title: "New Chat", createdAt: 1, updatedAt: 1 });
      store.saveMessage(id, storedMessage(`${id}-1`, { text }));
    }
    const expected = {
      数据: "cjk",
      库: "cjk",
      接数据库: "cjk",
      検索: "ja",
      "c#": "short",
      go: "short",
      AI: "short",
      "🚀": "emoji",
    };
    for (const [query, id] of Object.entries(expected))
      assert.deepEqual(
        store.search(query).hits.map(({ conversation }) => conversation.id),
        [id],
        query,
      );
  });
}
