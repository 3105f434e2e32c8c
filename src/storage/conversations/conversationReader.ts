import type { DatabaseSync } from "node:sqlite";
import type { Conversation, ConversationSummary } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import { parseConversationSettings } from "../../core/conversation/conversation.ts";
import { parseJson } from "../../core/kernel/json.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import { MessageReader } from "./messageReader.ts";
import type { StoredMessage } from "./messageReader.ts";

interface ListChanges {
  readonly changed: readonly ConversationSummary[];
  readonly deletedIds: readonly string[];
  readonly count: number;
}

/** A conversation as it is stored, with the windows that write its messages. */
export interface StoredConversation {
  readonly head: Omit<Conversation, "messages">;
  readonly messages: readonly StoredMessage[];
}

/** Reads conversations from one open database. */
export class ConversationReader {
  readonly #database: DatabaseSync;
  readonly messages: MessageReader;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareStatements(database);
    this.messages = new MessageReader(database);
  }

  /** Latest first. */
  list(): readonly ConversationSummary[] {
    return this.#statements.conversations.all().map(parseSummary);
  }

  /** Changes whenever the result of `list` has changed, and only increases while the file stays the same. */
  listRevision(): number {
    return numberColumn(this.#statements.listRevision.get() ?? {}, "value");
  }

  /** The conversations in the list that have changed since this revision, and how many there are now. */
  listChanges(revision: number): ListChanges {
    const rows = this.#statements.changedConversations.all(revision);
    return {
      changed: rows.filter((row) => row["deleted_at"] === null).map(parseSummary),
      deletedIds: rows.filter((row) => row["deleted_at"] !== null).map((row) => textColumn(row, "id")),
      count: numberColumn(this.#statements.countConversations.get() ?? {}, "count"),
    };
  }

  /** Whether the conversation is stored and not deleted. */
  isListed(id: string): boolean {
    return this.#statements.conversation.get(id) !== undefined;
  }

  load(id: string): StoredConversation | undefined {
    return this.#inTransaction(() => {
      const row = this.#statements.conversation.get(id);
      if (row === undefined) return undefined;
      return { head: { ...parseSummary(row), ...parseFields(row) }, messages: this.#readAll(id) };
    });
  }

  /**
   * The conversation as it is stored now.
   * @param read Its messages as they were read since it had this revision, by ID and in their order.
   */
  finishLoading(
    id: string,
    revision: number,
    read: ReadonlyMap<string, StoredMessage>,
  ): StoredConversation | undefined {
    return this.#inTransaction(() => {
      const row = this.#statements.conversation.get(id);
      if (row === undefined) return undefined;
      const head = { ...parseSummary(row), ...parseFields(row) };
      const streaming = this.messages.ids(id, "streaming");
      const changed = this.messages.readChanged(id, revision, streaming);
      const byId = new Map([...read, ...changed.map((stored) => [stored.message.id, stored] as const)]);
      const ids = new Set(this.messages.ids(id, "all"));
      const messages = [...byId.values()].filter(({ message }) => ids.has(message.id));
      // In a file that has replaced a damaged one, the messages have other revisions.
      if (messages.length < ids.size) return { head, messages: this.#readAll(id) };
      return { head, messages };
    });
  }

  /** The conversation's fields, even if it is deleted but can still be restored; undefined if it isn't stored. */
  fields(id: string): ConversationFields | undefined {
    const row = this.#statements.storedConversation.get(id);
    return row === undefined ? undefined : { ...parseSummary(row), ...parseFields(row) };
  }

  /** Reads a consistent snapshot that other windows can't change between statements. `read` must not write. */
  atOnce<Result>(read: (reader: this) => Result): Result {
    return this.#inTransaction(() => read(this));
  }

  /** Changes whenever another connection has written. */
  dataVersion(): number {
    return numberColumn(this.#statements.dataVersion.get() ?? {}, "data_version");
  }

  #readAll(id: string): readonly StoredMessage[] {
    const { messages } = this;
    return messages.positions(id).flatMap((position) => messages.readAt(id, position) ?? []);
  }

  #inTransaction<Result>(read: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      return read();
    } finally {
      // SQLite has already ended the transaction if the disk fails.
      if (this.#database.isTransaction) this.#database.exec("COMMIT");
    }
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    dataVersion: database.prepare("PRAGMA data_version"),
    conversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, tags, workspace, title_source FROM conversation
       WHERE deleted_at IS NULL
       ORDER BY updated_at DESC, rowid DESC`,
    ),
    conversation: database.prepare("SELECT * FROM conversation WHERE id = ? AND deleted_at IS NULL"),
    // A deletion time of 0 means that it is marked for permanent removal.
    storedConversation: database.prepare(
      "SELECT * FROM conversation WHERE id = ? AND (deleted_at IS NULL OR deleted_at > 0)",
    ),
    listRevision: database.prepare("SELECT value FROM revision WHERE name = 'list'"),
    changedConversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, tags, workspace, title_source, deleted_at FROM conversation
       WHERE revision > ?`,
    ),
    countConversations: database.prepare(
      `SELECT (SELECT count(*) FROM conversation)
        - (SELECT count(*) FROM conversation WHERE deleted_at IS NOT NULL) AS count`,
    ),
  };
}

function parseSummary(row: Row): ConversationSummary {
  const source = row["title_source"];
  const workspace = textColumn(row, "workspace");
  const tags = row["tags"] === null ? [] : parseTags(parseJson(row["tags"]));
  return {
    id: textColumn(row, "id"),
    title: textColumn(row, "title"),
    createdAt: numberColumn(row, "created_at"),
    updatedAt: numberColumn(row, "updated_at"),
    ...(row["is_pinned"] === 1 ? { isPinned: true } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(workspace === "" ? {} : { workspace }),
    ...(source === "user" || source === "model" ? { titleSource: source } : {}),
  };
}

function parseFields(row: Row): Pick<Conversation, "model" | "settings" | "leafId"> {
  const [model, leafId] = [textColumn(row, "model"), textColumn(row, "leaf_id")];
  const settings = parseConversationSettings(parseJson(row["settings"]));
  return {
    ...(model === "" ? {} : { model }),
    ...(settings === undefined ? {} : { settings }),
    ...(leafId === "" ? {} : { leafId }),
  };
}

interface ReadList {
  readonly fileId: string;
  readonly revision: number;
  readonly summaries: readonly ConversationSummary[];
}

/**
 * Reads a conversation some messages at a time. What changes in the meantime, here or in another window, is read again
 * at the end, so that the result is what is stored then.
 * @param read Reads from the file that is open at that time.
 */
export async function loadInSlices(
  read: <Result>(run: (reader: ConversationReader) => Result) => Result,
  id: string,
  pause: Pause,
): Promise<StoredConversation | undefined> {
  const { revision, positions } = read(({ messages }) => ({
    revision: messages.revision(id),
    positions: messages.positions(id),
  }));
  const byId = new Map<string, StoredMessage>();
  for (let at = 0; at < positions.length;) {
    const some = read((reader) =>
      reader.atOnce(({ messages }) => messages.readSome(id, positions.slice(at))),
    );
    for (const stored of some.messages) byId.set(stored.message.id, stored);
    at += some.count;
    await pause();
  }
  return read((reader) => reader.finishLoading(id, revision, byId));
}

/** The list of conversations. Only what has changed, here or in another window, is read again. */
export class ConversationList {
  #read: ReadList | undefined;

  /** What was read last. */
  get latest(): readonly ConversationSummary[] {
    return this.#read?.summaries ?? [];
  }

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

/** Undefined if too much has changed, or something has changed without leaving a trace. */
function update(before: ReadList, reader: ConversationReader): readonly ConversationSummary[] | undefined {
  const { changed, deletedIds, count } = reader.listChanges(before.revision);
  const gone = new Set([...deletedIds, ...changed.map(({ id }) => id)]);
  const kept = before.summaries.filter(({ id }) => !gone.has(id));
  if (kept.length + changed.length !== count) return undefined;
  return [...changed, ...kept].toSorted((left, right) => right.updatedAt - left.updatedAt);
}
