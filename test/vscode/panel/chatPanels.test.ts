import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type * as Module from "../../../src/vscode/panel/chatPanels.ts";
import type { Sessions } from "../../../src/vscode/conversation/sessions.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";
import { temporaryStore } from "../../support/storeFolder.ts";

describe("A closed chat whose response is still arriving", () => {
  const completions = new ScriptedCompletions();
  let sessions: Sessions;
  let panels: Module.ChatPanels;

  before(async () => {
    installFakeVscode();
    const [{ Sessions }, { ChatPanels }] = await Promise.all([
      import("../../../src/vscode/conversation/sessions.ts"),
      import("../../../src/vscode/panel/chatPanels.ts"),
    ]);
    const store = temporaryStore();
    sessions = new Sessions({
      completions,
      log: { error: assert.fail, warn: assert.fail, info: assert.fail, debug: assert.fail },
      watch: (port) => port,
      tools: { definitions: async () => [], run: () => assert.fail("No tool is called.") },
      openStore: async () => store,
      defaultModel: async () => "lab/echo",
      contextLength: () => undefined,
      prepareSettings: async () => undefined,
      initialSettings: () => ({}),
      isShown: (session) => panels.isShown(session),
      isStorageTroubled: () => false,
      onOpened: () => undefined,
      onModel: () => undefined,
    });
    panels = new ChatPanels(sessions, {} as never);
  });
  after(() => {
    fakeWindow.settings.clear();
    panels.dispose();
    sessions.dispose();
  });

  it("can be continued if the response ends while the Side Bar is opened for it again", async () => {
    const session = await sessions.create();
    session.send("Hello");
    const run = await completions.next();
    sessions.release(session);
    fakeWindow.settings.set("chat.openIn", "sideBar");
    // The view, which this stand-in for VS Code doesn't have, takes a moment.
    void panels.open(session.id).catch(() => undefined);
    await setImmediate();
    run.emit({ type: "text", text: "Hi" }, { type: "finish", reason: "stop" });
    run.end();
    await run.settled;
    assert.equal(session.send("And now?"), "sent");
  });
});
