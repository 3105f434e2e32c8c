import { assertNever } from "../kernel/assertNever.ts";
import type { Pause } from "../kernel/pause.ts";
import type { ContentPart } from "./completion.ts";
import type {
  Conversation,
  ConversationSummary,
  Message,
  MessageDelta,
  TitleSource,
} from "./conversation.ts";
import type { SearchResult } from "./searchResult.ts";

/**
 * Port: conversations on disk. Calls return immediately; what they write is durable within 250 ms, so that killing the
 * process loses no more than that.
 */
export interface ConversationStore {
  /** Excludes deleted conversations; the latest come first. */
  list(): readonly ConversationSummary[];
  /** The whole conversation; undefined if none has this ID. */
  load(id: string): Conversation | undefined;
  /** Loads the whole conversation without blocking the process for long, however large it is. */
  loadInSlices(id: string, pause: Pause): Promise<Conversation | undefined>;
  /** Marks how much of the conversation is stored now; call it before loading. */
  changeMark(id: string): ChangeMark;
  /** The changes to a conversation since then, here or in other windows; undefined if there are none. */
  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined;
  /**
   * Creates the conversation, or changes its fields; a deleted one is restored. The title is kept if the conversation
   * was renamed, and the workspace if there is one. Messages are written separately.
   */
  saveConversation(conversation: ConversationFields): void;
  /** Pins the conversation to the top of the list, or unpins it. */
  pinConversation(id: string, isPinned: boolean): void;
  /** Replaces the tags of the conversation with these, which are normalized. */
  tagConversation(id: string, tags: readonly string[]): void;
  /**
   * Adds the message at the end, or replaces the one with the same ID.
   * @param current Returns the current state of a streaming message at any later time, so that it can be written again
   * in full if another window has assumed its writer dead, or has removed it.
   */
  saveMessage(conversationId: string, message: Message, current?: () => Message): void;
  /**
   * Saves the message of a tool call that is about to run, unless another window has started the call or has its
   * result. Only one window gets `started`, and by then the message would survive a kill of the process.
   */
  startCall(conversationId: string, message: Message): Promise<CallStart>;
  /** Appends to a streaming message without rewriting its existing text. */
  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void;
  /** Removes the message; what comes after it stays and follows the message before it. */
  deleteMessage(conversationId: string, messageId: string): void;
  /** Gives the conversation a title. A title from the model never replaces one from the user. */
  renameConversation(id: string, title: string, source: TitleSource): void;
  /** Deletes the conversation. It can be restored for an hour, and for as long as this window is open. */
  deleteConversation(id: string): void;
  /** Restores a deleted conversation with everything it had, unless it was removed permanently. */
  restoreConversation(id: string): void;
  /** Permanently removes a deleted conversation. A few seconds later, nothing of it is left on disk. */
  purgeConversation(id: string): void;
  /** A value that changes whenever the result of `list` may have changed, here or in another window. */
  listVersion(): string;
  /** Writes pending changes now. */
  flush(): void;
  /**
   * Resolves to true once everything saved so far is on disk and would survive a killed process or a power failure; to
   * false if it can't be written for now, such as on a full disk.
   */
  persist(): Promise<boolean>;
}

/** Port: the unsent content of the composers of this window and of others. */
export interface DraftStore {
  /** The draft of a conversation's composer; empty if there is none. */
  loadDraft(conversationId: string): Draft;
  /** Never overwrites a draft of another window that this one has not seen: both are kept. */
  saveDraft(conversationId: string, draft: Draft): void;
  /**
   * The draft with which another window has overwritten the one that was seen here; undefined if there is nothing new.
   */
  loadNewDraft(conversationId: string): Draft | undefined;
  /** Drafts of other windows that were overwritten by something else, latest first. */
  otherDrafts(conversationId: string): readonly OtherDraft[];
  /** Continues in this window with one of them, and keeps the current draft in its place. */
  takeOtherDraft(conversationId: string, windowId: string): void;
  /** Deletes one of them. */
  dropOtherDraft(conversationId: string, windowId: string): void;
}

/** A message that waits for the response in progress to end. */
export interface QueuedMessage extends Draft {
  readonly id: string;
}

/**
 * A change to the queue of a conversation. One to a message that was removed or sent in another window does nothing.
 */
export type QueueChange =
  /** Adds a message at the end. */
  | { readonly type: "add"; readonly message: QueuedMessage }
  | { readonly type: "edit"; readonly message: QueuedMessage }
  /** Removes a message, because the user has done so or because it was sent. */
  | { readonly type: "remove"; readonly id: string }
  /** Puts these messages into this order. */
  | { readonly type: "order"; readonly ids: readonly string[] }
  /** The message wasn't sent after all. */
  | { readonly type: "release"; readonly id: string };

/** The queue after the change. */
export function changedQueue(queue: readonly QueuedMessage[], change: QueueChange): readonly QueuedMessage[] {
  switch (change.type) {
    case "add":
      return [...queue, change.message];
    case "edit":
      return queue.map((message) => (message.id === change.message.id ? change.message : message));
    case "remove":
      return queue.filter(({ id }) => id !== change.id);
    case "order":
      return queue.toSorted((left, right) => change.ids.indexOf(left.id) - change.ids.indexOf(right.id));
    case "release":
      return queue;
    default:
      return assertNever(change);
  }
}

/** Port: the messages of each conversation that wait to be sent. All windows share them. */
export interface QueueStore {
  /** The waiting messages, in the order in which they will be sent. */
  loadQueue(conversationId: string): readonly QueuedMessage[];
  /** The queue if another window may have changed it since the last call; undefined if there is nothing new. */
  loadNewQueue(conversationId: string): readonly QueuedMessage[] | undefined;
  changeQueue(conversationId: string, change: QueueChange): void;
  /**
   * Takes a message out of the queue to send it. Resolves to true in only one window, which must then remove or release
   * it at once; if it is killed before that, the message is back in the queue a few seconds later.
   */
  takeQueued(conversationId: string, id: string): Promise<boolean>;
}

/** Port: finds stored conversations by their words. */
export interface ConversationSearch {
  /** Searches titles and all versions of all messages. */
  search(query: string): SearchResult;
}

/** Everything that is stored about conversations, in one place that is opened and closed as a whole. */
export interface ConversationArchive extends ConversationStore, DraftStore, ConversationSearch {
  readonly queue: QueueStore;
  close(): void;
}

/**
 * The outcome of starting a tool call. `taken`: another window runs it or has run it. `unwritten`: it can't be written
 * for now, such as on a full disk, and nothing is saved.
 */
export type CallStart = "started" | "taken" | "unwritten";

/** A moment in the history of a stored conversation; meaningless outside its store. */
export interface ChangeMark {
  readonly file: string;
  readonly version: number;
  readonly revision: number;
  /** The messages that streamed in another window. They have to be checked regardless of the versions. */
  readonly open: readonly GrowthMark[];
  /** IDs of all messages that were stored. */
  readonly ids: ReadonlySet<string>;
}

/** How much of a message that streams in another window is known; nothing if it has no `place`. */
export interface GrowthMark {
  readonly messageId: string;
  readonly place: { readonly revision: number; readonly chunk: number } | undefined;
}

/** The growth of a message that streams in another window since the last poll. */
export interface MessageGrowth {
  readonly messageId: string;
  readonly text: string;
  readonly reasoning: string;
}

/** What other windows have changed in a conversation since the last poll. */
export interface ConversationChanges {
  readonly mark: ChangeMark;
  /** Undefined if the conversation is no longer stored, not even as deleted. */
  readonly fields: ConversationFields | undefined;
  /** Messages that are new or have changed other than by growing, in the order in which they were added. */
  readonly messages: readonly Message[];
  /** Messages that have only grown since the last poll. */
  readonly grown: readonly MessageGrowth[];
  /** IDs of messages that were stored at the last poll but no longer are. */
  readonly removedIds: readonly string[];
  /** Whether these are all stored messages, because the file was replaced after the old one was lost or damaged. */
  readonly isComplete: boolean;
}

/** The fields of a conversation that are written together. */
export type ConversationFields = Omit<Conversation, "messages" | "isPinned" | "tags" | "titleSource">;

/** The unsent content of a composer. */
export interface Draft {
  readonly text: string;
  /** Images and audio. */
  readonly attachments: readonly ContentPart[];
}

/** A draft from another window. */
export interface OtherDraft {
  /** Distinguishes the draft from the others. */
  readonly windowId: string;
  /** Milliseconds since 1970. */
  readonly keptAt: number;
  readonly draft: Draft;
}

/** An empty composer. Storing it removes this window's draft, but not those of other windows. */
export const emptyDraft: Draft = { text: "", attachments: [] };
