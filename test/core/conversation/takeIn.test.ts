import assert from "node:assert/strict";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { InMemoryConversationStore } from "../../../src/core/conversation/inMemoryConversationStore.ts";
import { importedMessage } from "../../../src/core/library/import/imported.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";

describe("A session that receives messages from a file", () => {
  it("shows what follows the path, keeps the rest as versions, and stores all of them", () => {
    const store = new InMemoryConversationStore();
    const question = importedMessage({ id: "q", role: "user", createdAt: 1, text: "Hello" });
    const response = importedMessage({ id: "r", role: "assistant", createdAt: 2, text: "Hi", parentId: "q" });
    store.saveConversation({ id: "c1", title: "T", createdAt: 1, updatedAt: 1 });
    for (const message of [question, response]) store.saveMessage("c1", message);
    const session = new ChatSession(
      { id: "c1", title: "T", createdAt: 1, updatedAt: 1, messages: [question, response] },
      {
        ...{ completions: new ScriptedCompletions(), store, now: () => 3, createId: () => "new" },
        defaultModel: () => Promise.resolve("lab/echo"),
        reportError: assert.fail,
      },
    );
    const events: string[] = [];
    session.subscribe(({ type }) => events.push(type));
    const next = importedMessage({ id: "n1", role: "user", createdAt: 4, text: "Theirs", parentId: "r" });
    session.takeIn([next, { ...next, id: "n2", text: "Theirs, too" }]);
    assert.deepEqual(session.state.messages.at(-1)?.id, "n1");
    assert.deepEqual(session.state.versionsOf(next), ["n1", "n2"]);
    assert.deepEqual(events, ["messageAdded", "path"]);
    assert.deepEqual(
      store.load("c1")?.messages.map(({ id }) => id),
      ["q", "r", "n1", "n2"],
    );
    session.dispose();
  });
});
