import type { Conversation, Message } from "../../core/conversation/conversation.ts";
import type {
  ConversationFields,
  ConversationStore,
  Draft,
} from "../../core/conversation/conversationStore.ts";
import { MessageTree } from "../../core/conversation/messageTree.ts";
import type {
  VolatileConversation,
  InMemoryConversationStore,
} from "../../core/conversation/inMemoryConversationStore.ts";

/**
 * Writes what was kept in memory into the store, by id: nothing is lost, and nothing comes twice however often this
 * runs. What was written in a conversation that could not be read follows what it already has.
 * @param currents How messages that stream are written again whole, by conversation and message.
 */
export function mergeConversations(
  memory: InMemoryConversationStore,
  target: ConversationStore,
  currents: ReadonlyMap<string, () => Message>,
): void {
  const { conversations, drafts } = memory.contents();
  for (const conversation of conversations) mergeConversation(conversation, target, currents);
  for (const [id, draft] of drafts) mergeDraft(id, draft, target);
  target.flush();
}

function mergeConversation(
  { fields, messages, isPinned, isDeleted, titleSource }: VolatileConversation,
  target: ConversationStore,
  currents: ReadonlyMap<string, () => Message>,
): void {
  const { id } = fields;
  const stored = target.load(id);
  target.saveConversation(stored === undefined ? fields : mergeFields(fields, stored));
  const end = stored === undefined ? undefined : endOf(stored);
  const known = new Set(stored?.messages.map((message) => message.id));
  for (const message of messages) {
    const isFirst = message.parentId === undefined && end !== undefined && !known.has(message.id);
    const current = currents.get(`${id}\n${message.id}`);
    target.saveMessage(id, isFirst ? { ...message, parentId: end } : message, current);
  }
  if (titleSource !== undefined) target.renameConversation(id, fields.title, titleSource);
  if (isPinned) target.pinConversation(id, true);
  if (isDeleted) target.deleteConversation(id);
}

/** What was stored stays, but for the model: what was begun in memory has the settings of a new conversation. */
function mergeFields(fields: ConversationFields, stored: Conversation): ConversationFields {
  const { title, createdAt, settings = fields.settings } = stored;
  const updatedAt = Math.max(stored.updatedAt, fields.updatedAt);
  return { ...fields, title, createdAt, updatedAt, ...(settings === undefined ? {} : { settings }) };
}

/** The last message that the conversation shows. */
function endOf({ messages, leafId }: Conversation): string | undefined {
  return new MessageTree(messages, leafId).path.at(-1)?.id;
}

/** Where another text stands already, both are worth keeping. */
function mergeDraft(id: string, draft: Draft, target: ConversationStore): void {
  const stored = target.loadDraft(id);
  if (stored.text === draft.text || (stored.text === "" && stored.attachments.length === 0))
    return target.saveDraft(id, draft);
  target.saveDraft(id, {
    text: [stored.text, draft.text].filter((text) => text !== "").join("\n\n"),
    attachments: [...stored.attachments, ...draft.attachments],
  });
}
