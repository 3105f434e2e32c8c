import type { ChangeMark, ConversationChanges } from "../../core/conversation/conversationStore.ts";
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

/** Nothing is known of the conversation. */
export const nothingKnown: ChangeMark = {
  ...{ file: "", version: 0, revision: 0, open: new Map(), ids: new Set() },
};

/** The current state of the stored conversation. */
export function currentMark(reader: ConversationReader, id: string, fileId: string): ChangeMark {
  // Read first, so that anything written in the meantime counts as new.
  const version = reader.dataVersion();
  const { messages } = reader;
  const open = new Map(messages.ids(id, "streaming").map((messageId) => [messageId, ""]));
  const ids = new Set(messages.ids(id, "all"));
  return { file: fileId, version, revision: messages.revision(id), open, ids };
}

/** What other windows have changed in the conversation since then; undefined if nothing. */
export function readChanges(
  reader: ConversationReader,
  context: ChangesContext,
  mark: ChangeMark,
): ConversationChanges | undefined {
  const version = reader.dataVersion();
  const isSameFile = context.fileId === mark.file;
  if (isSameFile && version === mark.version && mark.open.size === 0) return undefined;
  return reader.atOnce(() => collect(reader, context, version, isSameFile ? mark : nothingKnown));
}

function collect(
  reader: ConversationReader,
  { id, fileId, isOurs, isAlive }: ChangesContext,
  version: number,
  since: ChangeMark,
): ConversationChanges {
  // A message that grows keeps its revision.
  const stateOf = (messageId: string): string | undefined => {
    const found = isOurs(messageId) ? undefined : reader.messages.streaming(id, messageId);
    return found && `${found.pieces} ${isAlive(found.writer)}`;
  };
  const grown = [...since.open].filter(([messageId, state]) => stateOf(messageId) !== state);
  const changed = reader.messages.readChanged(
    id,
    since.revision,
    grown.map(([messageId]) => messageId),
  );
  const open = new Map<string, string>();
  for (const messageId of [...since.open.keys(), ...changed.map(({ message }) => message.id)]) {
    const state = stateOf(messageId);
    if (state !== undefined) open.set(messageId, state);
  }
  const ids = idsNow(reader, id, since, changed);
  const fields = reader.fields(id);
  return {
    mark: { file: fileId, version, revision: reader.messages.revision(id), open, ids },
    fields,
    messages: changed.filter(({ message }) => !isOurs(message.id)).map((stored) => asShown(stored, isAlive)),
    // A conversation that was permanently deleted as a whole stays open here with everything in it.
    removedIds:
      fields === undefined || ids === since.ids ? [] : [...since.ids].filter((one) => !ids.has(one)),
    isComplete: since === nothingKnown,
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
