import type { Conversation, Message } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type {
  ConversationArchive,
  ConversationFields,
  Draft,
} from "../../core/conversation/conversationStore.ts";
import type {
  InMemoryConversationStore,
  VolatileConversation,
} from "../../core/conversation/inMemoryConversationStore.ts";
import { MessageTree } from "../../core/conversation/messageTree.ts";

/**
 * Merges what was kept in memory into the store by ID. Nothing is lost or duplicated, no matter how often this runs.
 * Messages written in a conversation that couldn't be read are placed after its stored ones.
 * @param currents Functions that return the whole current message for each streaming message, by conversation and
 * message.
 */
export function mergeConversations(
  memory: InMemoryConversationStore,
  target: ConversationArchive,
  currents: ReadonlyMap<string, () => Message>,
): void {
  const { conversations, drafts } = memory.contents();
  for (const conversation of conversations) mergeConversation(conversation, target, currents);
  for (const [id, draft] of drafts) mergeDraft(id, draft, target);
  for (const [id, messages] of memory.queue.contents())
    for (const message of messages) target.queue.changeQueue(id, { type: "add", message });
  target.flush();
}

function mergeConversation(
  { fields, messages, isPinned, tags, isDeleted, titleSource }: VolatileConversation,
  target: ConversationArchive,
  currents: ReadonlyMap<string, () => Message>,
): void {
  const { id } = fields;
  const stored = target.load(id);
  target.saveConversation(stored === undefined ? fields : mergeFields(fields, stored, messages.length > 0));
  const end = stored === undefined ? undefined : endOf(stored);
  const known = new Set(stored?.messages.map((message) => message.id));
  for (const message of messages) {
    const isFirst = message.parentId === undefined && end !== undefined && !known.has(message.id);
    const current = currents.get(`${id}\n${message.id}`);
    target.saveMessage(id, isFirst ? { ...message, parentId: end } : message, current);
  }
  if (titleSource !== undefined) target.renameConversation(id, fields.title, titleSource);
  if (isPinned) target.pinConversation(id, true);
  if (tags.length > 0) target.tagConversation(id, parseTags([...(stored?.tags ?? []), ...tags]));
  if (isDeleted) target.deleteConversation(id);
}

/**
 * What the user has set wins. In memory, the conversation had the title, the settings and the creation time of a new
 * one, so the stored ones are kept. It continues with the model that was used last, and shows what was written last.
 */
function mergeFields(
  fields: ConversationFields,
  stored: Conversation,
  hasNewMessages: boolean,
): ConversationFields {
  const { id, title, createdAt, workspace = fields.workspace } = stored;
  const { settings = fields.settings } = stored;
  const model = fields.model ?? stored.model;
  const { leafId } = hasNewMessages ? fields : stored;
  return {
    ...{ id, title, createdAt, updatedAt: Math.max(stored.updatedAt, fields.updatedAt) },
    ...(settings === undefined ? {} : { settings }),
    ...(model === undefined ? {} : { model }),
    ...(leafId === undefined ? {} : { leafId }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** The last message that the conversation shows. */
function endOf({ messages, leafId }: Conversation): string | undefined {
  return new MessageTree(messages, leafId).path.at(-1)?.id;
}

/** If a different draft is already stored, both are worth keeping. */
function mergeDraft(id: string, draft: Draft, target: ConversationArchive): void {
  const stored = target.loadDraft(id);
  if (stored.text === draft.text || (stored.text === "" && stored.attachments.length === 0))
    return target.saveDraft(id, draft);
  target.saveDraft(id, {
    text: [stored.text, draft.text].filter((text) => text !== "").join("\n\n"),
    attachments: [...stored.attachments, ...draft.attachments],
  });
}
