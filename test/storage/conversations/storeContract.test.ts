import assert from "node:assert/strict";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { emptyDraft } from "../../../src/core/conversation/conversationStore.ts";
import { SqliteConversationStore } from "../../../src/storage/conversations/conversationStore.ts";
import { fillConversation, StoreFolder, storedMessage } from "../../support/storeFolder.ts";

const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const file = { type: "text", text: "let a;", title: "src/a.ts:1-1" } as const;

describe("A conversation store", () => {
  let folder: StoreFolder;
  const stores: ConversationStore[] = [];
  beforeEach(() => (folder = new StoreFolder()));
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
    folder.remove();
  });
  const open = (): ConversationStore => {
    // Searches are never cut off, however slow the machine is.
    const options = {
      now: Date.now,
      monotonic: () => 0,
      onProblem: (sentence: string) => assert.fail(sentence),
    };
    const store = new SqliteConversationStore(folder.file, options);
    stores.push(store);
    return store;
  };

  it("keeps parents, settings, seams, times and attachment titles", () => {
    const store = open();
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
    store.save({ type: "conversation", fields });
    for (const message of [question, answer]) store.save({ type: "message", conversationId: "c1", message });
    assert.deepEqual(store.load("c1"), { ...fields, messages: [question, answer] });
    store.save({ type: "conversation", fields: bare });
    assert.deepEqual(store.load("c1"), { ...bare, messages: [question, answer] });
  });

  it("keeps a conversation pinned until it is unpinned, whatever else is saved", () => {
    const store = open();
    fillConversation(store, "c1", 1);
    store.save({ type: "pin", id: "c1", isPinned: true });
    fillConversation(store, "c1", 1);
    assert.equal(store.list()[0]?.isPinned, true);
    assert.equal(store.load("c1")?.isPinned, true);
    store.save({ type: "pin", id: "c1", isPinned: false });
    assert.equal(store.list()[0]?.isPinned, undefined);
    store.save({ type: "pin", id: "unknown", isPinned: true });
    assert.equal(store.load("unknown"), undefined);
  });

  it("keeps tags in their normal form and the workspace of the start, whatever else is saved", () => {
    const store = open();
    fillConversation(store, "c1", 1);
    assert.equal(store.list()[0]?.tags, undefined);
    const { createdAt, updatedAt } = store.list()[0] ?? { createdAt: 0, updatedAt: 0 };
    const fields = { id: "c1", title: "Title", createdAt, updatedAt };
    store.save({ type: "conversation", fields: { ...fields, workspace: "file:///first" } });
    store.save({ type: "conversation", fields: { ...fields, workspace: "file:///second" } });
    store.save({ type: "tags", id: "c1", tags: ["work", "#Home ", "WORK"] });
    fillConversation(store, "c1", 1);
    for (const stored of [store.list()[0], store.load("c1")])
      assert.deepEqual([stored?.tags, stored?.workspace], [["Home", "work"], "file:///first"]);
    store.save({ type: "delete", id: "c1" });
    store.save({ type: "restore", id: "c1" });
    assert.deepEqual(store.load("c1")?.tags, ["Home", "work"]);
    store.save({ type: "tags", id: "c1", tags: [] });
    assert.equal(store.list()[0]?.tags, undefined);
    store.save({ type: "tags", id: "unknown", tags: ["x"] });
    assert.equal(store.load("unknown"), undefined);
  });

  it("finds conversations by their tags, alone or along with words", () => {
    const store = open();
    for (const id of ["c1", "c2", "c3"]) fillConversation(store, id, 1);
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("w1", { text: "a needle" }),
    });
    store.save({
      type: "message",
      conversationId: "c3",
      message: storedMessage("w3", { text: "a needle" }),
    });
    store.save({ type: "tags", id: "c1", tags: ["Work"] });
    store.save({ type: "tags", id: "c2", tags: ["work", "to do"] });
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

  it("attaches the replies of a deleted message to the one before it", () => {
    const store = open();
    fillConversation(store, "c1", 0);
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m1") });
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m2", { parentId: "m1" }) });
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m3", { parentId: "m2" }) });
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "m2" });
    assert.equal(store.load("c1")?.messages[1]?.parentId, "m1");
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "m1" });
    assert.equal(store.load("c1")?.messages[0]?.parentId, undefined);
  });

  it("keeps a message that is saved again right after it was removed", () => {
    const store = open();
    fillConversation(store, "c1", 0);
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m1") });
    store.save({ type: "removeMessage", conversationId: "c1", messageId: "m1" });
    store.save({ type: "message", conversationId: "c1", message: storedMessage("m1", { text: "again" }) });
    assert.deepEqual(
      store.load("c1")?.messages.map(({ text }) => text),
      ["again"],
    );
  });

  it("keeps the attachments of a draft until it is cleared or its conversation is deleted", () => {
    const store = open();
    fillConversation(store, "c1", 1);
    store.save({ type: "draft", conversationId: "c1", draft: { text: "", attachments: [file, image] } });
    assert.deepEqual(store.loadDraft("c1"), { text: "", attachments: [file, image] });
    store.save({ type: "draft", conversationId: "c1", draft: { text: "look", attachments: [image] } });
    assert.deepEqual(store.loadDraft("c1"), { text: "look", attachments: [image] });
    store.save({ type: "delete", id: "c1" });
    assert.deepEqual(store.loadDraft("c1"), emptyDraft);
    store.save({ type: "draft", conversationId: "c2", draft: { text: "", attachments: [image] } });
    store.save({ type: "draft", conversationId: "c2", draft: emptyDraft });
    assert.deepEqual(store.loadDraft("c2"), emptyDraft);
  });

  it("restores a deleted conversation completely", () => {
    const store = open();
    fillConversation(store, "c1", 2);
    store.save({ type: "pin", id: "c1", isPinned: true });
    store.save({ type: "draft", conversationId: "c1", draft: { text: "half", attachments: [image] } });
    const [conversation, draft] = [store.load("c1"), store.loadDraft("c1")];
    store.save({ type: "delete", id: "c1" });
    assert.deepEqual([store.list(), store.load("c1")], [[], undefined]);
    assert.deepEqual(store.search("Title").hits, []);
    store.save({ type: "restore", id: "c1" });
    assert.deepEqual([store.load("c1"), store.loadDraft("c1")], [conversation, draft]);
    assert.equal(store.list().length, 1);
  });

  it("restores a deleted conversation when someone continues it", () => {
    const store = open();
    fillConversation(store, "c1", 2);
    store.save({ type: "delete", id: "c1" });
    fillConversation(store, "c1", 3);
    assert.equal(store.load("c1")?.messages.length, 3);
  });

  it("never overwrites a title that the user chose", () => {
    const store = open();
    const fields = { id: "c1", title: "first words", createdAt: 1, updatedAt: 1 };
    store.save({ type: "conversation", fields });
    store.save({ type: "title", id: "c1", title: "Thought up", source: "model" });
    store.save({ type: "conversation", fields });
    assert.deepEqual([store.list()[0]?.title, store.list()[0]?.titleSource], ["Thought up", "model"]);
    store.save({ type: "title", id: "c1", title: "Mine", source: "user" });
    store.save({ type: "title", id: "c1", title: "Thought up again", source: "model" });
    store.save({ type: "conversation", fields });
    assert.deepEqual([store.load("c1")?.title, store.load("c1")?.titleSource], ["Mine", "user"]);
    store.save({ type: "title", id: "c1", title: "Mine again", source: "user" });
    assert.equal(store.load("c1")?.title, "Mine again");
  });

  it("changes its version when the list may have changed", () => {
    const store = open();
    const seen = new Set<string>();
    const changes = [
      () => fillConversation(store, "c1", 0),
      () => store.save({ type: "pin", id: "c1", isPinned: true }),
      () => store.save({ type: "tags", id: "c1", tags: ["a"] }),
      () => store.save({ type: "title", id: "c1", title: "New", source: "user" }),
      () => store.save({ type: "delete", id: "c1" }),
      () => store.save({ type: "restore", id: "c1" }),
    ];
    for (const change of changes) {
      change();
      seen.add(store.listVersion());
    }
    assert.equal(seen.size, changes.length);
    assert.equal(store.listVersion(), [...seen].at(-1));
  });

  it("finds titles and messages that contain all words, in any letter case, with some context", () => {
    const store = open();
    fillConversation(store, "c1", 0);
    fillConversation(store, "c2", 1);
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("m1", { text: `${"before ".repeat(30)}The Needle in\nthe Haystack` }),
    });
    store.save({
      type: "message",
      conversationId: "c1",
      message: storedMessage("m2", { parentId: "m1", text: "a needle" }),
    });
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

  it("finds text without spaces, and words of one or two characters", () => {
    const store = open();
    const texts = {
      cjk: "如何连接数据库？",
      ja: "検索する",
      short: "Is C# or Go better for AI?",
      emoji: "ship 🚀 it",
    };
    for (const [id, text] of Object.entries(texts)) {
      store.save({ type: "conversation", fields: { id, title: "New Chat", createdAt: 1, updatedAt: 1 } });
      store.save({ type: "message", conversationId: id, message: storedMessage(`${id}-1`, { text }) });
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
});
