import type { DatabaseSync } from "node:sqlite";
import type { Conversation, ConversationSummary } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import { parseConversationSettings } from "../../core/conversation/conversation.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { statementsOf } from "../database/journal.ts";
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

/** The columns of the list. */
const summary = "id, title, created_at, updated_at, is_pinned, tags, workspace, title_source";

/** Reads conversations from one open database. */
export class ConversationReader {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly messages: MessageReader;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = statementsOf(database);
    this.messages = new MessageReader(database);
  }

  /** Latest first. */
  list(): readonly ConversationSummary[] {
    const rows = this.#sql(
      `SELECT ${summary} FROM conversation WHERE deleted_at IS NULL ORDER BY updated_at DESC, rowid DESC`,
    ).all();
    return rows.map(parseSummary);
  }

  /** Changes whenever the result of `list` has changed, and only increases while the file stays the same. */
  listRevision(): number {
    return numberColumn(this.#sql("SELECT value FROM revision WHERE name = 'list'").get() ?? {}, "value");
  }

  /** The conversations in the list that have changed since this revision, and how many there are now. */
  listChanges(revision: number): ListChanges {
    const rows = this.#sql(`SELECT ${summary}, deleted_at FROM conversation WHERE revision > ?`).all(
      revision,
    );
    const count = this.#sql(`
      SELECT (SELECT count(*) FROM conversation)
        - (SELECT count(*) FROM conversation WHERE deleted_at IS NOT NULL) AS count`);
    return {
      changed: rows.filter((row) => row["deleted_at"] === null).map(parseSummary),
      deletedIds: rows.filter((row) => row["deleted_at"] !== null).map((row) => textColumn(row, "id")),
      count: numberColumn(count.get() ?? {}, "count"),
    };
  }

  /** Whether the conversation is stored and not deleted. */
  isListed(id: string): boolean {
    return this.#listed(id) !== undefined;
  }

  load(id: string): StoredConversation | undefined {
    return this.atOnce(() => {
      const row = this.#listed(id);
      if (row === undefined) return undefined;
      return { head: { ...parseSummary(row), ...parseFields(row) }, messages: this.messages.readAll(id) };
    });
  }

  /** The conversation's fields, even if it is deleted but can still be restored; undefined if it isn't stored. */
  fields(id: string): ConversationFields | undefined {
    // A deletion time of 0 means that it is marked for permanent removal.
    const row = this.#sql(
      "SELECT * FROM conversation WHERE id = ? AND (deleted_at IS NULL OR deleted_at > 0)",
    ).get(id);
    return row === undefined ? undefined : { ...parseSummary(row), ...parseFields(row) };
  }

  /** Changes whenever another connection has written. */
  dataVersion(): number {
    return numberColumn(this.#sql("PRAGMA data_version").get() ?? {}, "data_version");
  }

  /** Reads a consistent snapshot that other windows can't change between statements. `read` must not write. */
  atOnce<Result>(read: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      return read();
    } finally {
      // SQLite has already ended the transaction if the disk fails.
      if (this.#database.isTransaction) this.#database.exec("COMMIT");
    }
  }

  #listed(id: string): Row | undefined {
    return this.#sql("SELECT * FROM conversation WHERE id = ? AND deleted_at IS NULL").get(id);
  }
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
