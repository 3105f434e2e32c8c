import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../core/conversation/completion.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import type { Log } from "../../core/kernel/log.ts";
import { generateTitle, titleRequest } from "../../core/library/titles/generateTitle.ts";

export interface TitlesContext {
  readonly completions: CompletionPort;
  readonly log: Log;
  /** The setting `inferenceGateway.chat.generateTitles`. */
  isOn(): boolean;
}

/**
 * Gives a conversation a better title than its first words once its first response is complete. A title set by the user
 * is kept.
 */
export function watchTitles(context: TitlesContext) {
  return (session: ChatSession, store: ConversationStore): void => {
    session.subscribe((event) => {
      if (event.type !== "streaming" || event.isStreaming || !context.isOn()) return;
      void nameConversation(session, store, context);
    });
  };
}

async function nameConversation(
  session: ChatSession,
  store: ConversationStore,
  { completions, log }: TitlesContext,
): Promise<void> {
  try {
    const sourceOf = (): unknown => store.list().find(({ id }) => id === session.id)?.titleSource;
    const request = titleRequest(session.state.messages, session.state.model);
    if (request === undefined || sourceOf() !== undefined) return;
    const title = await generateTitle(completions, request);
    if (title === undefined || sourceOf() !== undefined) return;
    store.renameConversation(session.id, title, "model");
    session.rename(title);
  } catch (error) {
    log.debug(`No title was generated. ${error instanceof Error ? error.message : ""}`);
  }
}
