import assert from "node:assert/strict";
import type { Sessions } from "../../../src/vscode/conversation/sessions.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { temporaryStore } from "../../support/storeFolder.ts";

describe("A draft that was left in a new chat", () => {
  let sessions: Sessions;

  before(async () => {
    installFakeVscode();
    const module = await import("../../../src/vscode/conversation/sessions.ts");
    const store = temporaryStore();
    sessions = new module.Sessions({
      completions: new ScriptedCompletions(),
      log: { error: assert.fail, warn: assert.fail, info: assert.fail, debug: assert.fail },
      watch: (completions) => completions,
      tools: { definitions: async () => [], run: () => assert.fail("No tool is called.") },
      openStore: async () => store,
      defaultModel: async () => "lab/echo",
      contextLength: () => undefined,
      prepareSettings: async () => undefined,
      initialSettings: () => ({}),
      isShown: () => false,
      isStorageTroubled: () => false,
      onOpened: () => undefined,
      onModel: () => undefined,
    });
  });
  after(() => sessions.dispose());

  it("isn't taken by a chat that is opened with a message of its own, but by the next new one", async () => {
    const left = await sessions.create();
    const draft = { text: "not sent yet", attachments: [] };
    sessions.drafts.save({ type: "draft", conversationId: left.id, draft });
    sessions.release(left);
    const asked = await sessions.create(false);
    assert.notEqual(asked.id, left.id);
    const next = await sessions.create();
    assert.equal(next.id, left.id);
    assert.equal(sessions.drafts.loadDraft(next.id).text, "not sent yet");
  });
});
