import type { DatabaseSync } from "node:sqlite";
import type { Conversation, ConversationSummary } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import { parseConversationSettings } from "../../core/conversation/conversation.ts";
import { parseJson } from "../../core/kernel/json.ts";
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
      return { head: { ...parseSummary(row), ...parseFields(row) }, messages: this.messages.readAll(id) };
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
