import type { Message, MessageDelta } from "../../core/conversation/conversation.ts";
import type { CallStart } from "../../core/conversation/conversationStore.ts";
import type { DatabaseFile } from "../database/databaseFile.ts";
import { byteLengths, growthAfter } from "../database/messageRow.ts";
import { saveFailureMessage, sqliteTrouble } from "../database/sqliteTrouble.ts";
import { createLease } from "../database/streamLease.ts";
import { isOnNetwork } from "../files/networkMount.ts";
import type { SearchTables } from "../search/searchTables.ts";
import { ConversationDatabase } from "./conversationDatabase.ts";
import type { ConversationReader } from "./conversationReader.ts";
import type { ConversationWriter } from "./conversationWriter.ts";
import { GrowingMessages } from "./growingMessages.ts";
import { messageKey } from "./growthFormat.ts";
import type { JournaledGrowth, MessagePlace } from "./growthFormat.ts";
import { GrowthJournal, removeJournal } from "./growthJournal.ts";
import type { StoredMessage } from "./messageReader.ts";
import type { StoreOptions } from "./storeOptions.ts";
import { WriteQueue } from "./writeQueue.ts";

/**
 * The database along with what is still on the way to it: this window's pending changes, the growth of its streaming
 * messages, which stays in its journal at first, and the journals of other windows. Callers read what they have just
 * saved, and don't need to know where it is.
 */
export class QueuedDatabase {
  readonly growing: GrowingMessages;
  readonly #options: StoreOptions;
  readonly #database: ConversationDatabase;
  readonly #queue: WriteQueue;
  /** Undefined where other machines may have the file open, or receive a copy of it at any moment. */
  readonly #journal: GrowthJournal | undefined;
  #isClosed = false;
  /** The message that grew last, and its key. */
  #grown: { readonly place: MessagePlace; readonly key: string } = {
    place: { conversationId: "", messageId: "" },
    key: "",
  };

  /** Throws SQLite's error if the file can't be opened. */
  constructor(file: DatabaseFile, options: StoreOptions) {
    this.#options = options;
    this.#database = new ConversationDatabase(file);
    this.growing = new GrowingMessages({
      now: () => options.now(),
      monotonic: () => options.monotonic?.() ?? performance.now(),
      add: (change) => this.add(change),
      addApart: (change) => this.#queue.addApart(() => change(this.#database.writer)),
    });
    this.#queue = this.#createQueue();
    if (!isOnNetwork(file.path)) this.#journal = new GrowthJournal(file.path, () => options.now());
  }

  /** Changes whenever a different file is opened. */
  get fileId(): string {
    return this.#database.fileId;
  }

  get search(): SearchTables {
    return this.#database.search;
  }

  /** Whether nothing but growth is pending. Otherwise, the stored conversations are older than what callers have. */
  get hasOnlyGrowth(): boolean {
    return this.#queue.hasOnlyGrowth;
  }

  /** Pending changes are written first, so that callers read what they have just saved. */
  read<Result>(read: (reader: ConversationReader) => Result): Result {
    this.#queue.flush();
    return this.#database.read(read);
  }

  /**
   * Reads what doesn't depend on the growth of this window's messages, which can stay in the journal in the meantime.
   */
  peek<Result>(read: (reader: ConversationReader) => Result): Result {
    return this.#queue.hasOnlyGrowth ? this.#database.read(read) : this.read(read);
  }

  /** Runs a step of background work once, without pending changes. Throws SQLite's errors. */
  attempt<Result>(step: () => Result): Result {
    return this.#database.attempt(step);
  }

  /** Adds the change to the next transaction. Does nothing once this is closed. */
  add(change: (writer: ConversationWriter) => void): void {
    if (!this.#isClosed) this.#queue.add(() => change(this.#database.writer));
  }

  /** Makes the change now, in a transaction after all pending changes; returns whether that worked. */
  writeNow(change: (writer: ConversationWriter) => void): boolean {
    if (!this.#queue.hasOnlyGrowth) this.#queue.flush();
    if (!this.#queue.hasOnlyGrowth) return false;
    this.#database.write([() => change(this.#database.writer)]);
    return true;
  }

  /** Applies the change in the open database, in a transaction without pending changes. Throws SQLite's errors. */
  transact(change: () => void): void {
    this.#database.transact([change]);
  }

  /** Writes what is pending as far as possible now. Never throws. */
  flush(): void {
    this.#queue.flush();
  }

  /** Resolves with whether everything that was added would survive a power failure. */
  persist(): Promise<boolean> {
    return this.#isClosed ? Promise.resolve(false) : this.#queue.persist();
  }

  /** Moves the write-ahead log into the file and empties it; returns whether that worked. Throws SQLite's errors. */
  truncateLog(): boolean {
    // What was deleted may also be in the journal of a window that no longer exists.
    this.adoptGrowth();
    return this.#database.truncateLog();
  }

  /**
   * Writes a message as a whole. One that is streaming may grow afterwards, in this window only.
   * @param current Returns the message at any later time. Without it, a copy of its text is kept here.
   */
  putMessage(conversationId: string, message: Message, current?: () => Message): void {
    const place = { conversationId, messageId: message.id };
    const isStreaming = message.status === "streaming";
    // The message may continue with other text, so the journal must not contain anything of the earlier text.
    if (isStreaming && this.growing.has(place)) this.#queue.flush();
    if (isStreaming) {
      this.#queue.endGrowth(messageKey(place));
      this.growing.add(place, message, current);
    } else {
      this.#queue.coverGrowth(messageKey(place));
      this.growing.delete(place);
    }
    this.add((writer) => {
      const lease = isStreaming ? createLease(this.#options.now()) : undefined;
      writer.putMessage(conversationId, message, lease);
    });
  }

  grow(place: MessagePlace, delta: MessageDelta): void {
    if (this.#isClosed) return;
    const key = this.#growthKey(place);
    const count = this.growing.grow(key, delta);
    this.#queue.addGrowth(key, delta, count, () =>
      this.growing.growthTarget(place, () => this.#database.writer, this.#journal),
    );
  }

  /** Nearly always, the same message as before grows by another token. */
  #growthKey(place: MessagePlace): string {
    const { conversationId, messageId } = this.#grown.place;
    if (place.messageId !== messageId || place.conversationId !== conversationId)
      this.#grown = { place, key: messageKey(place) };
    return this.#grown.key;
  }

  deleteMessage(place: MessagePlace): void {
    this.#queue.endGrowth(messageKey(place));
    this.growing.delete(place);
    this.add((writer) => writer.deleteMessage(place.conversationId, place.messageId));
  }

  startCall(conversationId: string, message: Message): Promise<CallStart> {
    return this.growing.startCall({ conversationId, messageId: message.id }, message, () => this.persist());
  }

  /**
   * Writes the growth of the conversation's messages that other windows have so far only added to their journals, and
   * everything left in the journals of windows that no longer exist.
   */
  adoptGrowth(conversationId?: string): void {
    for (const other of this.#journal?.readOthers(conversationId) ?? []) {
      const { path, isLeft, growths } = other;
      try {
        const isMissing = this.#database.read(() =>
          growths.some((growth) => this.#database.writer.missingGrowth(growth) !== undefined),
        );
        // Read within the transaction, in which the journal's window can't replace the message.
        if (isMissing)
          this.add((writer) => {
            for (const growth of other.readAgain()) writer.adoptGrowth(growth);
          });
      } catch {
        // The database can't be read, which the next read reports.
        return;
      }
      if (isLeft) void this.persist().then((isWritten) => isWritten && removeJournal(path));
    }
  }

  /**
   * The stored messages of a conversation, with the growth in other windows' journals while it can't be written, such
   * as while a window is suspended in the middle of a transaction.
   */
  withJournals(conversationId: string, stored: readonly StoredMessage[]): readonly StoredMessage[] {
    if (this.#queue.hasOnlyGrowth) return stored;
    const growths = this.#journal?.readOthers(conversationId).flatMap((other) => other.growths) ?? [];
    return stored.map((one) => {
      const { id, status } = one.message;
      if (status !== "streaming") return one;
      const own = growths.filter(
        (growth) => growth.conversationId === conversationId && growth.messageId === id,
      );
      return { ...one, message: withGrowths(one.message, own) };
    });
  }

  /**
   * Writes everything that was added, while VS Code exits; returns whether that worked. Nothing can be added anymore.
   */
  writeLast(): boolean {
    this.#isClosed = true;
    this.#queue.flushLast();
    return this.#queue.isEmpty;
  }

  /** Only call it after `writeLast`. */
  close(): void {
    this.#journal?.close(this.#queue.isEmpty);
    this.#queue.dispose();
    this.#database.close();
  }

  #createQueue(): WriteQueue {
    const options = this.#options;
    return new WriteQueue({
      write: (changes, isSynced) => {
        this.growing.beginWriting();
        this.#database.write(changes, isSynced);
      },
      trouble: sqliteTrouble,
      onFailure(error, isLost) {
        const sentence = saveFailureMessage(error, isLost);
        options.onProblem(sentence);
        if (!isLost) options.onTrouble?.(sentence);
      },
      onRecovery: () => options.onTrouble?.(undefined),
      onWritten: (isAll) => {
        this.growing.noteWritten();
        if (isAll) this.#journal?.clear();
      },
    });
  }
}

/** The message with the pieces that it lacks. One that doesn't follow its text belongs to another version of it. */
function withGrowths(message: Message, growths: readonly JournaledGrowth[]): Message {
  let { text, reasoning } = message;
  const end = { ...byteLengths(message) };
  for (const growth of growths) {
    if (growth.at.text > end.text || growth.at.reasoning > end.reasoning) break;
    const missing = growthAfter(end, growth, growth.at);
    const added = byteLengths(missing);
    text += missing.text;
    reasoning += missing.reasoning;
    end.text += added.text;
    end.reasoning += added.reasoning;
  }
  return { ...message, text, reasoning };
}
