import assert from "node:assert/strict";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { emptyDraft } from "../../../src/core/conversation/conversationStore.ts";
import { fillConversation, StoreFolder } from "../../support/storeFolder.ts";

const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
const draft = (text: string) => ({ text, attachments: [] });

describe("The drafts of two windows in one conversation", () => {
  let folder: StoreFolder;
  let one: ConversationStore;
  let other: ConversationStore;
  beforeEach(() => {
    folder = new StoreFolder();
    one = folder.open();
    other = folder.open();
    fillConversation(one, "c1", 1);
    one.loadDraft("c1");
    other.loadDraft("c1");
  });
  afterEach(() => folder.remove());

  function type(store: ConversationStore, text: string): void {
    store.save({ type: "draft", conversationId: "c1", draft: draft(text) });
    store.flush();
  }

  it("are shared while only one of the windows edits", () => {
    type(one, "Hel");
    assert.deepEqual(other.loadNewDraft("c1"), draft("Hel"));
    other.save({ type: "draft", conversationId: "c1", draft: draft("Hel") });
    assert.equal(other.loadNewDraft("c1"), undefined);
    type(one, "Hello");
    assert.deepEqual(other.loadNewDraft("c1"), draft("Hello"));
    type(other, "Hello");
    type(other, "Hello there");
    assert.deepEqual(one.loadNewDraft("c1"), draft("Hello there"));
    assert.deepEqual(one.otherDrafts("c1"), []);
  });

  it("are both kept if both windows edit, and a new window shows the one edited last", () => {
    type(one, "mine");
    type(other, "theirs");
    assert.equal(one.loadNewDraft("c1"), undefined);
    assert.equal(other.loadNewDraft("c1"), undefined);
    type(one, "mine, longer");
    assert.deepEqual([one.loadDraft("c1").text, other.loadDraft("c1").text], ["mine, longer", "theirs"]);
    const third = folder.open();
    assert.equal(third.loadDraft("c1").text, "mine, longer");
    assert.deepEqual(
      third.otherDrafts("c1").map((kept) => kept.draft.text),
      ["theirs"],
    );
  });

  it("keep the other draft, with its attachments, when one is sent", () => {
    one.save({ type: "draft", conversationId: "c1", draft: { text: "mine", attachments: [image] } });
    one.flush();
    type(other, "theirs");
    type(other, "");
    assert.deepEqual(one.loadDraft("c1"), { text: "mine", attachments: [image] });
    const third = folder.open();
    assert.deepEqual(third.loadDraft("c1"), { text: "mine", attachments: [image] });
    third.save({ type: "draft", conversationId: "c1", draft: draft("mine, gone on with") });
    assert.deepEqual(third.otherDrafts("c1"), []);
  });

  it("keep the text typed in one window when the other window sends its own", () => {
    type(one, "mine");
    type(other, "theirs");
    one.save({ type: "draft", conversationId: "c1", draft: emptyDraft });
    one.flush();
    assert.equal(other.loadDraft("c1").text, "theirs");
  });

  it("are empty in both windows after one sends a shared draft", () => {
    type(one, "together");
    type(other, "together");
    type(other, "");
    assert.deepEqual(one.loadNewDraft("c1"), emptyDraft);
  });

  it("can be swapped and discarded", () => {
    type(one, "mine");
    type(other, "theirs");
    const third = folder.open();
    assert.equal(third.loadDraft("c1").text, "theirs");
    const [kept = assert.fail()] = third.otherDrafts("c1");
    third.save({ type: "takeDraft", conversationId: "c1", windowId: kept.windowId });
    assert.equal(third.loadDraft("c1").text, "mine");
    const [replaced = assert.fail()] = third.otherDrafts("c1");
    assert.equal(replaced.draft.text, "theirs");
    third.save({ type: "dropDraft", conversationId: "c1", windowId: replaced.windowId });
    assert.deepEqual(third.otherDrafts("c1"), []);
    assert.equal(third.loadDraft("c1").text, "mine");
  });

  it("outlive their windows, and are deleted with their conversation", () => {
    type(one, "mine");
    type(other, "theirs");
    one.close();
    other.close();
    const third = folder.open();
    assert.deepEqual(
      third.otherDrafts("c1").map((kept) => kept.draft.text),
      ["mine"],
    );
    third.save({ type: "delete", id: "c1" });
    third.flush();
    assert.deepEqual(third.otherDrafts("c1"), []);
    third.save({ type: "restore", id: "c1" });
    assert.equal(third.otherDrafts("c1").length, 1);
    third.save({ type: "delete", id: "c1" });
    third.close();
    const fourth = folder.open();
    assert.deepEqual([fourth.loadDraft("c1"), fourth.otherDrafts("c1")], [emptyDraft, []]);
  });
});
