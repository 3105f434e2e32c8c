import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import type { SessionEvent } from "../../../src/core/conversation/sessionEvent.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import { ScriptedCompletions } from "../../support/scriptedCompletions.ts";

/** A new conversation with scripted responses, and everything that it emits and reports. */
export function createSession(store = temporaryStore()) {
  const completions = new ScriptedCompletions();
  const reported: unknown[] = [];
  let ids = 0;
  const session = new ChatSession(
    { id: "c1", title: "New Chat", createdAt: 1, updatedAt: 1, messages: [] },
    {
      completions,
      store,
      now: () => 1000,
      createId: () => `m${++ids}`,
      defaultModel: async () => "lab/echo",
      contextLength: (model) => (model === "lab/echo" ? 32_768 : undefined),
      reportError: (error) => reported.push(error),
    },
  );
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return { session, completions, store, events, reported };
}
