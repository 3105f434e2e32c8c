import type {
  ChangeMark,
  ConversationChanges,
  GrowthMark,
  MessageGrowth,
} from "../../core/conversation/conversationStore.ts";
import type { ConversationReader } from "./conversationReader.ts";
import type { StoredMessage } from "./messageReader.ts";
import { settleMessage } from "./windowWriter.ts";

interface ChangesContext {
  /** The conversation's ID. */
  readonly id: string;
  readonly fileId: string;
  /** Whether the message is written by this window, so that nothing stored is newer. */
  isOurs(messageId: string): boolean;
  /** Whether the window that writes a message is known to be alive. */
  isAlive(writer: string): boolean;
}

/** The current state of the stored conversation. */
export function currentMark(reader: ConversationReader, id: string, fileId: string): ChangeMark {
  // Read first, so that anything written in the meantime counts as new.
  const version = reader.dataVersion();
  const { messages } = reader;
  const open = messages.ids(id, "streaming").map((messageId) => ({ messageId, place: undefined }));
  const ids = new Set(messages.ids(id, "all"));
  return { file: fileId, version, revision: messages.revision(id), open, ids };
}

/**
 * What other windows have changed in the conversation since then; undefined if nothing. For a response that is
 * streaming in another window, only the new text is read.
 */
export function readChanges(
  reader: ConversationReader,
  context: ChangesContext,
  since: ChangeMark,
): ConversationChanges | undefined {
  const version = reader.dataVersion();
  const isSameFile = context.fileId === since.file;
  if (isSameFile && version === since.version && since.open.length === 0) return undefined;
  return reader.atOnce(() =>
    collect(reader, context, { version, isSameFile, since: isSameFile ? since : nothingKnown }),
  );
}

const nothingKnown: ChangeMark = { file: "", version: 0, revision: 0, open: [], ids: new Set() };

interface Look {
  readonly version: number;
  readonly isSameFile: boolean;
  readonly since: ChangeMark;
}

function collect(
  reader: ConversationReader,
  { id, fileId, isOurs, isAlive }: ChangesContext,
  { version, isSameFile, since }: Look,
): ConversationChanges {
  const grown: MessageGrowth[] = [];
  const open: GrowthMark[] = [];
  const unclear: string[] = [];
  for (const { messageId, place, isAlive: wasAlive } of since.open) {
    const growth = place && reader.messages.readGrowth(id, messageId, place);
    const isStillAlive = growth !== undefined && isAlive(growth.writer);
    const hasGrown = growth !== undefined && (growth.text !== "" || growth.reasoning !== "");
    if (growth === undefined || isStillAlive !== wasAlive || (hasGrown && !isStillAlive)) {
      unclear.push(messageId);
      continue;
    }
    if (hasGrown) grown.push({ messageId, text: growth.text, reasoning: growth.reasoning });
    open.push({ messageId, place: growth.place, isAlive: isStillAlive });
  }
  const changed = reader.messages.readChanged(id, since.revision, unclear);
  const foreign = changed.filter(({ message }) => !isOurs(message.id));
  for (const { message, place, writer } of foreign)
    if (message.status === "streaming") open.push({ messageId: message.id, place, isAlive: isAlive(writer) });
  const ids = idsNow(reader, id, since, changed);
  const fields = reader.fields(id);
  return {
    mark: { file: fileId, version, revision: reader.messages.revision(id), open, ids },
    fields,
    messages: foreign.map((stored) => asShown(stored, isAlive)),
    grown,
    // A conversation that was permanently deleted as a whole stays open here with everything in it.
    removedIds:
      fields === undefined || ids === since.ids ? [] : [...since.ids].filter((one) => !ids.has(one)),
    isComplete: !isSameFile,
  };
}

/** The message as it is shown: one whose window is no longer alive was interrupted. */
export function asShown(
  { message, writer }: StoredMessage,
  isAlive: (writer: string) => boolean,
): StoredMessage["message"] {
  return message.status === "streaming" && !isAlive(writer) ? settleMessage(message) : message;
}

/** The IDs of all messages. Returns the same set if they haven't changed. */
function idsNow(
  reader: ConversationReader,
  id: string,
  { ids }: ChangeMark,
  changed: readonly StoredMessage[],
): ReadonlySet<string> {
  const isKnown = changed.every(({ message }) => ids.has(message.id));
  return isKnown && reader.messages.count(id) === ids.size ? ids : new Set(reader.messages.ids(id, "all"));
}
