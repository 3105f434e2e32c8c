import type {
  ChangeMark,
  ConversationChanges,
  GrowthMark,
  MessageGrowth,
} from "../../core/conversation/conversationStore.ts";
import type { ConversationReader } from "./conversationReader.ts";
import type { GrowingMessages } from "./growingMessages.ts";
import type { StoredMessage } from "./messageReader.ts";

interface ChangesContext {
  /** The conversation's ID. */
  readonly id: string;
  readonly fileId: string;
  readonly growing: GrowingMessages;
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
  { id, fileId, growing }: ChangesContext,
  { version, isSameFile, since }: Look,
): ConversationChanges {
  const grown: MessageGrowth[] = [];
  const open: GrowthMark[] = [];
  const unclear: string[] = [];
  for (const { messageId, place } of since.open) {
    const growth = place && reader.messages.readGrowth(id, messageId, place);
    if (growth === undefined || growing.isAbandoned({ conversationId: id, messageId }, growth.lease)) {
      unclear.push(messageId);
      continue;
    }
    const { text, reasoning } = growth;
    if (text !== "" || reasoning !== "") grown.push({ messageId, text, reasoning });
    open.push({ messageId, place: growth.place });
  }
  const changed = reader.messages.readChanged(id, since.revision, unclear);
  const foreign = changed.filter(
    ({ message }) => !growing.has({ conversationId: id, messageId: message.id }),
  );
  for (const { message, place } of foreign)
    if (message.status === "streaming") open.push({ messageId: message.id, place });
  const ids = idsNow(reader, id, since, changed);
  const fields = reader.fields(id);
  return {
    mark: { file: fileId, version, revision: reader.messages.revision(id), open, ids },
    fields,
    messages: growing.settleAll(id, foreign),
    grown,
    // A conversation that was permanently deleted as a whole stays open here with everything in it.
    removedIds:
      fields === undefined || ids === since.ids ? [] : [...since.ids].filter((one) => !ids.has(one)),
    isComplete: !isSameFile,
  };
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
