import type { ContentPart } from "./completion.ts";
import type {
  Conversation,
  ConversationSummary,
  Message,
  MessageDelta,
  TitleSource,
} from "./conversation.ts";
import type { SearchResult } from "./searchResult.ts";
import type { UsageQuery, UsageTotal } from "./usageTotals.ts";

/**
 * Port: conversations on disk. Calls return at once; what they write is durable within 250 ms,
 * so that a kill of the process loses no more than that.
 */
export interface ConversationStore {
  /** Without the deleted ones; the latest first. */
  list(): readonly ConversationSummary[];
  /** The whole conversation, or undefined when there is none of this id. */
  load(id: string): Conversation | undefined;
  /** How much of the conversation is stored now; to be taken before it is loaded. */
  changeMark(id: string): ChangeMark;
  /** What has changed in a conversation since then, here or in other windows; undefined if nothing has. */
  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined;
  /**
   * Creates the conversation, or changes its fields; a deleted one comes back. The title stays where the conversation
   * was renamed. Messages are written one by one below.
   */
  saveConversation(conversation: ConversationFields): void;
  /** Keeps the conversation at the top of the list, or not any more. */
  pinConversation(id: string, isPinned: boolean): void;
  /**
   * Adds the message at the end, or replaces the one with the same id.
   * @param current Of a message that streams: gives it as it is at any later time, so that it can be written again
   * whole where another window has taken its writer for dead, or has removed it.
   */
  saveMessage(conversationId: string, message: Message, current?: () => Message): void;
  /**
   * Saves the message of a tool call that is about to run, unless another window has started the call or has its result.
   * Only one window gets `started`, and by then the message would survive a kill of the process.
   */
  startCall(conversationId: string, message: Message): Promise<CallStart>;
  /** Appends to a streaming message without rewriting its existing text. */
  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void;
  /** Removes the message; what comes after it stays and follows the message before it. */
  deleteMessage(conversationId: string, messageId: string): void;
  /** Gives the conversation a title; one that the model has thought of never replaces one that the user gave. */
  renameConversation(id: string, title: string, source: TitleSource): void;
  /** Deletes the conversation. It can be restored for an hour, and for as long as this window is open. */
  deleteConversation(id: string): void;
  /** Restores a deleted conversation with everything it had, unless it was removed permanently. */
  restoreConversation(id: string): void;
  /** Permanently removes a deleted conversation. A few seconds later, nothing of it is left on disk. */
  purgeConversation(id: string): void;
  /** Another value whenever what `list` gives may have changed, here or in another window. */
  listVersion(): string;
  /** Writes what is pending now. */
  flush(): void;
  /**
   * Resolves once all that was saved so far is on disk and would survive a kill of the process or a failure of power:
   * with true; with false if it can't be written for now, such as on a full disk.
   */
  persist(): Promise<boolean>;
}

/** Port: what stands in the composers of this window and of others, and was not sent yet. */
export interface DraftStore {
  /** The draft of a conversation's composer, empty when there is none. */
  loadDraft(conversationId: string): Draft;
  /** Never overwrites what another window has in its composer and this one has not seen: both are kept. */
  saveDraft(conversationId: string, draft: Draft): void;
  /** The draft that another window has written over the one that was seen here; undefined if there is nothing new. */
  loadNewDraft(conversationId: string): Draft | undefined;
  /** What other windows had in their composers when something else was written over it; the latest first. */
  otherDrafts(conversationId: string): readonly OtherDraft[];
  /** Has this window continue with one of them, and keeps the present one in its place. */
  takeOtherDraft(conversationId: string, windowId: string): void;
  dropOtherDraft(conversationId: string, windowId: string): void;
}

/** Port: finds stored conversations by their words. */
export interface ConversationSearch {
  /** Looks in titles and in all versions of all messages. */
  search(query: string): SearchResult;
}

/** Port: what the stored responses took. */
export interface UsageReader {
  /** What the stored responses took, by the user's own days and by model; the latest day first. */
  readUsage(query: UsageQuery): readonly UsageTotal[];
}

/** All that is kept of conversations, in one place that is opened and closed as a whole. */
export interface ConversationArchive extends ConversationStore, DraftStore, ConversationSearch, UsageReader {
  close(): void;
}

/**
 * What became of the start of a tool call. `taken`: another window runs it or has run it. `unwritten`: it can't be
 * written for now, such as on a full disk, and nothing is saved.
 */
export type CallStart = "started" | "taken" | "unwritten";

/** A moment in the history of a stored conversation. It means nothing outside of its store. */
export interface ChangeMark {
  readonly file: string;
  readonly version: number;
  readonly revision: number;
  /** The messages that streamed in another window: they have to be looked at, whatever the versions say. */
  readonly open: readonly GrowthMark[];
  /** Of all messages that were stored. */
  readonly ids: ReadonlySet<string>;
}

/** How much of a message that streams in another window is known; nothing if it has no place. */
export interface GrowthMark {
  readonly messageId: string;
  readonly place: { readonly revision: number; readonly chunk: number } | undefined;
}

/** What has come of a message that streams in another window since the last look. */
export interface MessageGrowth {
  readonly messageId: string;
  readonly text: string;
  readonly reasoning: string;
}

export interface ConversationChanges {
  readonly mark: ChangeMark;
  /** Undefined if the conversation isn't stored any more, not even as deleted. */
  readonly fields: ConversationFields | undefined;
  /** Those that are new or have changed otherwise than by growing, in the order in which they were added. */
  readonly messages: readonly Message[];
  /** Those that have grown since the last look, and nothing else. */
  readonly grown: readonly MessageGrowth[];
  /** The messages that were stored at the last look and are not any more. */
  readonly removedIds: readonly string[];
  /** Whether these are all that are stored, because the file is another one: the old one was lost or damaged. */
  readonly isComplete: boolean;
}

/** What a conversation is written with at once. */
export type ConversationFields = Omit<Conversation, "messages" | "isPinned" | "titleSource">;

/** What stands in a composer and was not sent yet. */
export interface Draft {
  readonly text: string;
  /** Images and audio. */
  readonly attachments: readonly ContentPart[];
}

/** A draft that another window had. */
export interface OtherDraft {
  /** Distinguishes it from the other ones. */
  readonly windowId: string;
  /** Milliseconds since 1970. */
  readonly keptAt: number;
  readonly draft: Draft;
}

export const emptyDraft: Draft = { text: "", attachments: [] };
