import assert from "node:assert/strict";
import { ConversationState } from "../../../src/core/conversation/conversationState.ts";
import type { SessionEvent } from "../../../src/core/conversation/sessionEvent.ts";
import { temporaryStore } from "../../support/storeFolder.ts";

function open() {
  const store = temporaryStore();
  const reported: unknown[] = [];
  let ids = 0;
  const conversation = new ConversationState(
    { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, messages: [] },
    {
      store,
      now: () => 1000,
      createId: () => `m${++ids}`,
      reportError: (error) => reported.push(error),
    },
  );
  const events: SessionEvent["type"][] = [];
  conversation.subscribe(({ type }) => events.push(type));
  return { conversation, store, events, reported };
}

describe("ConversationState", () => {
  it("stores and reports changes", () => {
    const { conversation, store, events } = open();
    conversation.addQuestion(undefined, "Hi", []);
    conversation.rename("Greetings");
    conversation.changeSettings({ systemPrompt: "Short." });
    conversation.selectModel("lab/echo");
    const stored = store.load("c1");
    assert.deepEqual(events, ["messageAdded", "title", "settings", "model"]);
    assert.deepEqual(
      [stored?.title, stored?.settings, stored?.model, stored?.messages],
      ["Greetings", { systemPrompt: "Short." }, "lab/echo", conversation.tree.all],
    );
  });

  it("stores nothing until there is a message", () => {
    const { conversation, store, events } = open();
    conversation.rename("Greetings");
    assert.deepEqual([store.list(), events], [[], ["title"]]);
  });

  it("stores a response as it grows, and its final form", () => {
    const { conversation, store, events } = open();
    const answer = conversation.createResponse(undefined, "lab/echo");
    conversation.addMessage(answer);
    conversation.appendDelta(answer.id, { kind: "text", text: "He" });
    assert.equal(store.load("c1")?.messages[0]?.text, "He");
    conversation.finishMessage({ ...answer, status: "complete", text: "Hello" });
    assert.equal(conversation.tree.find(answer.id)?.text, "Hello");
    assert.equal(store.load("c1")?.messages[0]?.status, "complete");
    assert.deepEqual(events, ["messageAdded", "delta", "messageChanged"]);
  });

  it("reports a listener that throws, and still notifies the others", () => {
    const { conversation, events, reported } = open();
    const broken = new Error("the page is gone");
    conversation.subscribe(() => {
      throw broken;
    });
    conversation.rename("Greetings");
    conversation.rename("Goodbyes");
    assert.deepEqual(
      [events, reported],
      [
        ["title", "title"],
        [broken, broken],
      ],
    );
  });

  it("doesn't bring a deleted conversation back when its title arrives after it is disposed", () => {
    const { conversation, store } = open();
    conversation.addQuestion(undefined, "Hi", []);
    conversation.dispose();
    store.save({ type: "delete", id: "c1" });
    conversation.rename("Greetings");
    assert.deepEqual(store.list(), []);
    store.save({ type: "restore", id: "c1" });
    assert.equal(store.list().length, 1);
  });

  it("doesn't notify listeners after it is disposed", () => {
    const { conversation, events } = open();
    conversation.dispose();
    conversation.rename("Greetings");
    assert.deepEqual(events, []);
  });
});
