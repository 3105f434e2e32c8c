import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Message } from "../../src/core/conversation/conversation.ts";
import type { ConversationStore } from "../../src/core/conversation/conversationStore.ts";
import { SqliteConversationStore } from "../../src/storage/conversations/conversationStore.ts";
import type { StoreOptions } from "../../src/storage/conversations/conversationStore.ts";

/** A folder with one conversations file, and the stores that have it open. */
export class StoreFolder {
  readonly folder: string;
  readonly file: string;
  /** The problems that the stores have reported. */
  readonly problems: string[] = [];
  /** Why nothing could be written, and undefined each time when it could again. */
  readonly troubles: (string | undefined)[] = [];
  readonly #stores: SqliteConversationStore[] = [];

  constructor(folder = mkdtempSync(join(tmpdir(), "store-"))) {
    this.folder = folder;
    this.file = join(folder, "global", "conversations.db");
  }

  /**
   * @param now The clock of this store; the real one by default.
   * @param monotonic The clock that limits its searches; that of the process by default.
   */
  open(
    now: () => number = Date.now,
    monotonic?: () => number,
    threads: Pick<StoreOptions, "thread"> = {},
  ): SqliteConversationStore {
    const store = new SqliteConversationStore(this.file, {
      now,
      ...(monotonic === undefined ? {} : { monotonic }),
      onProblem: (sentence) => this.problems.push(sentence),
      onTrouble: (sentence) => this.troubles.push(sentence),
      ...threads,
    });
    this.#stores.push(store);
    return store;
  }

  /** The names of the spill files beside the database. */
  spillNames(): readonly string[] {
    return readdirSync(dirname(this.file)).filter((name) => name.includes(".spill-"));
  }

  /** Closes all stores. */
  close(): void {
    for (const store of this.#stores) store.close();
  }

  remove(): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function storedMessage(id: string, change: Partial<Message> = {}): Message {
  return {
    id,
    role: "user",
    status: "complete",
    createdAt: 1,
    text: `text of ${id}`,
    attachments: [],
    reasoning: "",
    toolCalls: [],
    ...change,
  };
}

/** Saves a conversation with this many messages of roughly this length. */
export function fillConversation(store: ConversationStore, id: string, count: number, length = 20): void {
  store.save({ type: "conversation", fields: { id, title: `Title of ${id}`, createdAt: 1, updatedAt: 1 } });
  for (let i = 0; i < count; i++) {
    store.save({
      type: "message",
      conversationId: id,
      message: storedMessage(`${id}-${i}`, { text: `${i} `.padEnd(length, "x") }),
    });
  }
  store.flush();
}

const temporary = new Set<string>();
process.once("exit", () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** A store with a file of its own, which is removed when the process ends. */
export function temporaryStore(): SqliteConversationStore {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  temporary.add(folder);
  return new SqliteConversationStore(join(folder, "conversations.db"), {
    now: Date.now,
    onProblem(sentence) {
      throw new Error(sentence);
    },
  });
}
