import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import type { ConversationReader } from "./conversationReader.ts";

interface ReadList {
  readonly fileId: string;
  readonly revision: number;
  readonly summaries: readonly ConversationSummary[];
}

/** The list of conversations. What has changed, here or in another window, is read; the rest is kept. */
export class ConversationList {
  #read: ReadList | undefined;

  /** @param fileId The file that the reader reads. */
  version(reader: ConversationReader, fileId: string): string {
    return `${fileId} ${reader.listRevision()}`;
  }

  read(reader: ConversationReader, fileId: string): readonly ConversationSummary[] {
    const revision = reader.listRevision();
    const before = this.#read;
    if (before?.fileId === fileId && before.revision === revision) return before.summaries;
    const summaries = (before?.fileId === fileId ? update(before, reader) : undefined) ?? reader.list();
    this.#read = { fileId, revision, summaries };
    return summaries;
  }
}

/** Undefined where too much has changed, or something of which no trace is left. */
function update(before: ReadList, reader: ConversationReader): readonly ConversationSummary[] | undefined {
  const { changed, deletedIds, count } = reader.listChanges(before.revision);
  const gone = new Set([...deletedIds, ...changed.map(({ id }) => id)]);
  const kept = before.summaries.filter(({ id }) => !gone.has(id));
  if (kept.length + changed.length !== count) return undefined;
  return [...changed, ...kept].toSorted((left, right) => right.updatedAt - left.updatedAt);
}
