import type { DatabaseSync } from "node:sqlite";
import type { Conversation, ConversationSummary } from "../../core/conversation/conversation.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import type { UsageQuery, UsageTotal } from "../../core/conversation/usageTotals.ts";
import { parseConversationSettings } from "../../core/conversation/parseConversationSettings.ts";
import { parseJson } from "../../core/conversation/messageDetails.ts";
import { DraftTable } from "./draftTable.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import { MessageReader } from "./messageReader.ts";
import type { StoredMessage } from "./messageReader.ts";
import { readUsage } from "./usageReader.ts";

export interface ListChanges {
  readonly changed: readonly ConversationSummary[];
  readonly deletedIds: readonly string[];
  readonly count: number;
}

export interface StoredConversation {
  readonly head: Omit<Conversation, "messages">;
  readonly messages: readonly StoredMessage[];
}

/** Reads conversations from one open database. */
export class ConversationReader {
  readonly drafts: DraftTable;
  readonly #database: DatabaseSync;
  readonly messages: MessageReader;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareStatements(database);
    this.messages = new MessageReader(database);
    this.drafts = new DraftTable(database);
  }

  /** The latest first. */
  list(): readonly ConversationSummary[] {
    return this.#statements.conversations.all().map(parseSummary);
  }

  /** Another number whenever what `list` gives has changed, and greater than before while the file is the same. */
  listRevision(): number {
    return numberColumn(this.#statements.listRevision.get() ?? {}, "value");
  }

  /** The conversations that have changed in the list since it had this revision, and how many it has now. */
  listChanges(revision: number): ListChanges {
    const rows = this.#statements.changedConversations.all(revision);
    return {
      changed: rows.filter((row) => row["deleted_at"] === null).map(parseSummary),
      deletedIds: rows.filter((row) => row["deleted_at"] !== null).map((row) => textColumn(row, "id")),
      count: numberColumn(this.#statements.countConversations.get() ?? {}, "count"),
    };
  }

  /** Whether the file may still have what was deleted before deletions were overwritten. */
  needsVacuum(): boolean {
    return this.#statements.vacuumTask.get() !== undefined;
  }

  load(id: string): StoredConversation | undefined {
    return this.#inTransaction(() => {
      const row = this.#statements.conversation.get(id);
      if (row === undefined) return undefined;
      return { head: { ...parseSummary(row), ...parseFields(row) }, messages: this.messages.readAll(id) };
    });
  }

  /** What the conversation is written with at once, also where it is deleted; undefined if it isn't stored. */
  fields(id: string): ConversationFields | undefined {
    const row = this.#statements.storedConversation.get(id);
    return row === undefined ? undefined : { ...parseSummary(row), ...parseFields(row) };
  }

  /** One moment of the file: another window can't change it between the statements. `read` must not write. */
  atOnce<Result>(read: (reader: this) => Result): Result {
    return this.#inTransaction(() => read(this));
  }

  /** Another number once another connection has written. */
  dataVersion(): number {
    return numberColumn(this.#statements.dataVersion.get() ?? {}, "data_version");
  }

  usage(query: UsageQuery): readonly UsageTotal[] {
    return readUsage(this.#database, query);
  }

  #inTransaction<Result>(read: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      return read();
    } finally {
      this.#database.exec("COMMIT");
    }
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    dataVersion: database.prepare("PRAGMA data_version"),
    conversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, title_source FROM conversation
       WHERE deleted_at IS NULL
       ORDER BY updated_at DESC, rowid DESC`,
    ),
    conversation: database.prepare("SELECT * FROM conversation WHERE id = ? AND deleted_at IS NULL"),
    // Deleted at 0: marked for permanent removal.
    storedConversation: database.prepare(
      "SELECT * FROM conversation WHERE id = ? AND (deleted_at IS NULL OR deleted_at > 0)",
    ),
    vacuumTask: database.prepare("SELECT 1 FROM housekeeping WHERE task = 'vacuum'"),
    listRevision: database.prepare("SELECT value FROM list_revision"),
    changedConversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, title_source, deleted_at FROM conversation
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
  return {
    id: textColumn(row, "id"),
    title: textColumn(row, "title"),
    createdAt: numberColumn(row, "created_at"),
    updatedAt: numberColumn(row, "updated_at"),
    ...(row["is_pinned"] === 1 ? { isPinned: true } : {}),
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
