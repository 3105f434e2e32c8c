import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../core/conversation/completion.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import type { Log } from "../../core/kernel/log.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import { generateTitle, titleRequest } from "../../core/library/titles/generateTitle.ts";

interface TitlesContext {
  /** The port for requests about this conversation. */
  completions(conversationId: string): CompletionPort;
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
  context: TitlesContext,
): Promise<void> {
  try {
    const sourceOf = (): unknown => store.list().find(({ id }) => id === session.id)?.titleSource;
    const request = titleRequest(session.state.messages, session.state.model);
    if (request === undefined || sourceOf() !== undefined) return;
    const title = await generateTitle(context.completions(session.id), request);
    if (title === undefined || sourceOf() !== undefined) return;
    store.save({ type: "title", id: session.id, title, source: "model" });
    session.rename(title);
  } catch (error) {
    context.log.debug(`No title was generated. ${messageOf(error)}`);
  }
}
