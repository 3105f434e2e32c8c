import type { ContentPart } from "./completion.ts";
import type {
  Conversation,
  ConversationSummary,
  Message,
  MessageDelta,
  TitleSource,
} from "./conversation.ts";
import type { Quote } from "./quotes.ts";
import type { SearchResult } from "./searchResult.ts";

/** A change to what is stored about conversations. It is plain data, so that it can be written anywhere. */
export type StoredChange =
  /**
   * Creates the conversation, or changes its fields; a deleted one is restored. The title is kept if the conversation
   * was renamed, and the workspace if there is one. Messages are written separately.
   */
  | { readonly type: "conversation"; readonly fields: ConversationFields }
  /** Pins the conversation to the top of the list, or unpins it. */
  | { readonly type: "pin"; readonly id: string; readonly isPinned: boolean }
  /** Replaces the tags of the conversation with these, which are normalized. */
  | { readonly type: "tags"; readonly id: string; readonly tags: readonly string[] }
  /** Gives the conversation a title. A title from the model never replaces one from the user. */
  | { readonly type: "title"; readonly id: string; readonly title: string; readonly source: TitleSource }
  /** Deletes the conversation. It can be restored for an hour, and for as long as this window is open. */
  | { readonly type: "delete"; readonly id: string }
  /** Restores a deleted conversation with everything it had, unless it was removed permanently. */
  | { readonly type: "restore"; readonly id: string }
  /** Permanently removes a deleted conversation. A few seconds later, nothing of it is left on disk. */
  | { readonly type: "purge"; readonly id: string }
  /** Adds the message at the end, or replaces the one with the same ID. */
  | { readonly type: "message"; readonly conversationId: string; readonly message: Message }
  /** Removes the message; what comes after it stays and follows the message before it. */
  | { readonly type: "removeMessage"; readonly conversationId: string; readonly messageId: string }
  /** Stores the composer's content. It never overwrites a draft of another window that this one has not seen. */
  | { readonly type: "draft"; readonly conversationId: string; readonly draft: Draft }
  /** Continues in this window with another window's draft, and keeps the current one in its place. */
  | { readonly type: "takeDraft"; readonly conversationId: string; readonly windowId: string }
  /** Deletes another window's draft. */
  | { readonly type: "dropDraft"; readonly conversationId: string; readonly windowId: string }
  | { readonly type: "queue"; readonly conversationId: string; readonly change: QueueChange };

/**
 * Port: what is stored about conversations, in one place that is opened and closed as a whole. What is saved returns
 * immediately, is read from then on, and survives the end of the process after 250 ms.
 */
export interface ConversationStore extends DraftStore, QueueStore, ConversationSearch {
  /** Excludes deleted conversations; the latest come first. */
  list(): readonly ConversationSummary[];
  /** A value that changes whenever the result of `list` may have changed, here or in another window. */
  listVersion(): string;
  /** The whole conversation; undefined if none has this ID. */
  load(id: string): Conversation | undefined;
  /** Loads the whole conversation as soon as no other program locks the file. */
  loadOnceUnlocked(id: string): Promise<Conversation | undefined>;
  /** Marks how much of the conversation is stored now; call it before loading. */
  changeMark(id: string): ChangeMark;
  /** The changes to a conversation since then, here or in other windows; undefined if there are none. */
  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined;
  /**
   * Saves a change.
   * @param current Returns the current state of a streaming message at any later time, so that it can be written again
   * if another window has removed it.
   */
  save(change: StoredChange, current?: () => Message): void;
  /** Appends to a streaming message without rewriting its existing text. */
  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void;
  /**
   * Saves the message of a tool call that is about to run, unless another window has started the call or has its
   * result. Only one window gets `started`, and by then the message would survive a power failure.
   */
  startCall(conversationId: string, message: Message): Promise<CallStart>;
  /** Claims what only one window may do for this many milliseconds. */
  claim(kind: ClaimKind, key: string, forMs: number): Promise<Claim>;
  /** Writes pending changes now. */
  flush(): void;
  /**
   * Resolves to true once everything saved so far is on disk and would survive a killed process or a power failure; to
   * false if it can't be written for now, such as on a full disk.
   */
  persist(): Promise<boolean>;
  /** Writes what is pending and releases everything that other windows may take over. */
  close(): void;
}

/** The outcome of a claim: `claimed` in one window only; `unwritten` if claims can't be stored for now. */
export type Claim = "claimed" | "taken" | "unwritten";

/**
 * What only one window may do at a time, as identified by a key: send a queued message, take in a spill file, make a
 * backup, or show a notice. `window` isn't exclusive: it says until when a window that writes is known to be alive.
 */
export type ClaimKind = "window" | "queued" | "spill" | "backup" | "notice";

/** A change to the unsent content of a composer. */
type DraftChange = Extract<StoredChange, { readonly type: "draft" | "takeDraft" | "dropDraft" }>;

/** Port: the unsent content of the composers of this window and of others. */
export interface DraftStore {
  save(change: DraftChange): void;
  /** The draft of a conversation's composer; empty if there is none. */
  loadDraft(conversationId: string): Draft;
  /**
   * The draft with which another window has overwritten the one that was seen here; undefined if there is nothing new.
   */
  loadNewDraft(conversationId: string): Draft | undefined;
  /** Drafts of other windows that were overwritten by something else, latest first. */
  otherDrafts(conversationId: string): readonly OtherDraft[];
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

/** Port: the messages of each conversation that wait to be sent. All windows share them. */
export interface QueueStore {
  save(change: Extract<StoredChange, { readonly type: "queue" }>): void;
  /** The waiting messages, in the order in which they will be sent. */
  loadQueue(conversationId: string): readonly QueuedMessage[];
  /** The queue if another window may have changed it since the last call; undefined if there is nothing new. */
  loadNewQueue(conversationId: string): readonly QueuedMessage[] | undefined;
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
  /** The states of the messages that streamed, by ID. They have to be checked regardless of the versions. */
  readonly open: ReadonlyMap<string, string>;
  /** IDs of all messages that were stored. */
  readonly ids: ReadonlySet<string>;
}

/** What other windows have changed in a conversation since the last poll. */
export interface ConversationChanges {
  readonly mark: ChangeMark;
  /** Undefined if the conversation is no longer stored, not even as deleted. */
  readonly fields: ConversationFields | undefined;
  /** Messages that are new or have changed, in the order in which they were added. */
  readonly messages: readonly Message[];
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
  /** The parts of a stored text that weren't typed. */
  readonly quotes?: readonly Quote[];
}

/** A draft from another window. */
export interface OtherDraft {
  /** Distinguishes the draft from the others. */
  readonly windowId: string;
  readonly draft: Draft;
}

/** An empty composer. Storing it removes this window's draft, but not those of other windows. */
export const emptyDraft: Draft = { text: "", attachments: [] };
