import type { ConversationSummary } from "../core/conversation.ts";
import type { ConversationReader } from "./conversationReader.ts";

/** The list of conversations, read again only when it may have changed. */
export class ConversationList {
  /** Counts what changes the list here; the other windows' changes are counted by SQLite. */
  #changes = 0;
  #read: { readonly version: string; readonly summaries: readonly ConversationSummary[] } | undefined;

  noteChange(): void {
    this.#changes++;
  }

  /** @param fileId The file that the reader reads. */
  version(reader: ConversationReader, fileId: string): string {
    return `${fileId} ${this.#changes} ${reader.dataVersion()}`;
  }

  read(reader: ConversationReader, fileId: string): readonly ConversationSummary[] {
    const version = this.version(reader, fileId);
    if (this.#read?.version !== version) this.#read = { version, summaries: reader.list() };
    return this.#read.summaries;
  }
}
