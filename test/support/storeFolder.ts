import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../src/core/conversation/conversation.ts";
import type { ConversationArchive } from "../../src/core/conversation/conversationStore.ts";
import type { StoreOptions } from "../../src/storage/conversations/storeOptions.ts";
import { openConversationStore } from "../../src/storage/conversations/openConversationStore.ts";

/** A folder with one conversations file, and the stores that have it open. */
export class StoreFolder {
  readonly folder = mkdtempSync(join(tmpdir(), "store-"));
  readonly file = join(this.folder, "global", "conversations.db");
  /** The problems that the stores have reported. */
  readonly problems: string[] = [];
  readonly #stores: ConversationArchive[] = [];

  /**
   * @param now The clock of this store; the real one by default.
   * @param monotonic The clock that limits its searches. It doesn't advance unless the test advances it, because the
   * number of results must not depend on the machine.
   */
  async open(
    now: () => number = Date.now,
    monotonic = () => 0,
    threads: Pick<StoreOptions, "recoveryThread"> = {},
  ): Promise<ConversationArchive> {
    const onProblem = (sentence: string): void => void this.problems.push(sentence);
    const store = await openConversationStore(this.file, { now, monotonic, onProblem, ...threads });
    this.#stores.push(store);
    return store;
  }

  remove(): void {
    for (const store of this.#stores) store.close();
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
export function fillConversation(store: ConversationArchive, id: string, count: number, length = 20): void {
  store.saveConversation({ id, title: `Title of ${id}`, createdAt: 1, updatedAt: 1 });
  for (let i = 0; i < count; i++) {
    store.saveMessage(id, storedMessage(`${id}-${i}`, { text: `${i} `.padEnd(length, "x") }));
  }
  store.flush();
}
