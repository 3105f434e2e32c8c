import type { Conversation, ConversationSettings, Message } from "../../core/conversation/conversation.ts";
import { mergeTags } from "../../core/conversation/conversationTags.ts";
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
import { missingMessages } from "../../core/library/import/importTally.ts";

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
  if (tags.length > 0) target.tagConversation(id, mergeTags([], stored?.tags ?? [], tags));
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

/**
 * Applies to `target` what was done in a copy since it was made: messages and conversations that were added, completed
 * responses, settings, titles, pins, tags, deletions, drafts and waiting messages. Whatever else has happened in
 * `target` stays. Nothing is lost or duplicated, no matter how often this runs.
 * @param base What the copy was made of; undefined if that isn't known, so that everything in the copy counts as added.
 */
export function mergeCopy(
  copy: ConversationArchive,
  base: ConversationArchive | undefined,
  target: ConversationArchive,
): void {
  const before = new Map(base?.list().map((summary) => [summary.id, summary]));
  const now = copy.list();
  for (const summary of now) {
    const { id, title, titleSource, isPinned = false, tags = [] } = summary;
    const old = before.get(id);
    // Changing only the settings leaves no other trace than the time.
    const isChanged = old?.updatedAt !== summary.updatedAt || hasChanged(id, copy, base);
    const conversation = isChanged ? copy.load(id) : undefined;
    if (conversation !== undefined) mergeChanged(conversation, base?.load(id), target);
    if (titleSource !== undefined && old?.title !== title) target.renameConversation(id, title, titleSource);
    if (isPinned !== (old?.isPinned ?? false)) target.pinConversation(id, isPinned);
    if (tags.join() !== (old?.tags ?? []).join()) {
      const theirs = target.list().find((other) => other.id === id)?.tags ?? [];
      target.tagConversation(id, mergeTags(old?.tags ?? [], tags, theirs));
    }
    mergeUnsent(id, copy, target);
  }
  const left = new Set(now.map(({ id }) => id));
  const kept = new Map(target.list().map((summary) => [summary.id, summary]));
  for (const [id, { updatedAt }] of before)
    // A conversation that was continued on the other machine is worth more than its deletion here.
    if (!left.has(id) && kept.get(id)?.updatedAt === updatedAt) target.deleteConversation(id);
  target.flush();
}

/** Whether messages of the conversation were written in the copy since it was made. */
export function hasChanged(
  id: string,
  copy: ConversationArchive,
  base: ConversationArchive | undefined,
): boolean {
  if (base === undefined) return true;
  const [old, now] = [base.changeMark(id), copy.changeMark(id)];
  return now.open.length > 0 || old.revision !== now.revision || old.ids.size !== now.ids.size;
}

function mergeChanged(
  conversation: Conversation,
  base: Conversation | undefined,
  target: ConversationArchive,
): void {
  const { id, messages } = conversation;
  const added = missingMessages({ messages }, base);
  const stored = target.load(id);
  const changes = stored === undefined ? {} : changedFields(conversation, base, stored);
  if (added.length === 0 && Object.keys(changes).length === 0) return;
  const updatedAt = Math.max(stored?.updatedAt ?? 0, conversation.updatedAt);
  target.saveConversation(stored === undefined ? conversation : { ...stored, ...changes, updatedAt });
  // If the conversation was deleted on the other machine, the new messages need those before them.
  for (const message of missingMessages({ messages: stored === undefined ? messages : added }, stored))
    target.saveMessage(id, message);
}

/**
 * What was changed in the copy: model, end of the path and each of the settings. If the other machine has changed the
 * same one, the later change counts.
 */
function changedFields(
  copy: Conversation,
  base: Conversation | undefined,
  stored: Conversation,
): Partial<Pick<Conversation, "model" | "leafId" | "settings">> {
  const isLater = copy.updatedAt >= stored.updatedAt;
  const text = (value: unknown): string => JSON.stringify(value) ?? "";
  const take = <T>(name: keyof T & string, from: { ours: T; old: T | undefined; theirs: T }): boolean => {
    const [ours, old, theirs] = [text(from.ours[name]), text(from.old?.[name]), text(from.theirs[name])];
    return ours !== old && ours !== theirs && (theirs === old || isLater);
  };
  const whole = { ours: copy, old: base, theirs: stored };
  const settings = { ours: copy.settings ?? {}, old: base?.settings, theirs: stored.settings ?? {} };
  const names = settingNames.filter((name) => take(name, settings));
  const { model, leafId } = copy;
  return {
    ...(take("model", whole) && model !== undefined ? { model } : {}),
    ...(take("leafId", whole) && leafId !== undefined ? { leafId } : {}),
    ...(names.length === 0
      ? {}
      : {
          settings: {
            ...settings.theirs,
            ...Object.fromEntries(names.map((name) => [name, settings.ours[name]])),
          },
        }),
  };
}

const settingNames = Object.keys({
  systemPrompt: true,
  parameters: true,
  tools: true,
  whenTooLong: true,
} satisfies Readonly<Record<keyof ConversationSettings, true>>) as readonly (keyof ConversationSettings)[];

function mergeUnsent(id: string, copy: ConversationArchive, target: ConversationArchive): void {
  const draft = copy.loadDraft(id);
  if (draft.text !== "" || draft.attachments.length > 0) mergeDraft(id, draft, target);
  const known = new Set(target.queue.loadQueue(id).map((message) => message.id));
  for (const message of copy.queue.loadQueue(id))
    if (!known.has(message.id)) target.queue.changeQueue(id, { type: "add", message });
}
