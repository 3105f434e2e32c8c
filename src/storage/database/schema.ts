import type { DatabaseSync } from "node:sqlite";
import { DamagedError } from "./sqliteTrouble.ts";

/** The full-text index, which can be created again from the messages at any time. */
export const indexTables = `
  CREATE VIRTUAL TABLE search_grams
    USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
  CREATE VIRTUAL TABLE search_words
    USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');`;

/**
 * The steps from an empty file to the current schema. `user_version` counts the steps that a file has taken. A released
 * step is never changed, and an older window that still has the file open must be able to continue using it.
 */
const schemaSteps: readonly string[] = [
  `
  CREATE TABLE conversation (
    id TEXT PRIMARY KEY,
    -- Of the list when the row changed last.
    revision INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL,
    title_source TEXT NOT NULL DEFAULT 'words',
    model TEXT,
    -- JSON.
    settings TEXT,
    leaf_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    is_pinned INTEGER NOT NULL DEFAULT 0,
    -- JSON of the user's tags; NULL if there are none.
    tags TEXT,
    -- The URI of the workspace in which it was started.
    workspace TEXT,
    -- 0 if it is marked for permanent removal.
    deleted_at INTEGER
  ) STRICT;
  CREATE INDEX conversation_by_update ON conversation (updated_at);
  CREATE INDEX conversation_by_revision ON conversation (revision);
  CREATE INDEX conversation_by_deletion ON conversation (deleted_at) WHERE deleted_at IS NOT NULL;

  CREATE TABLE revision (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO revision VALUES ('list', 0), ('message', 0);
  CREATE TRIGGER conversation_added AFTER INSERT ON conversation
  BEGIN
    UPDATE revision SET value = value + 1 WHERE name = 'list';
    UPDATE conversation SET revision = (SELECT value FROM revision WHERE name = 'list') WHERE id = new.id;
  END;
  CREATE TRIGGER conversation_changed
  AFTER UPDATE OF title, created_at, updated_at, is_pinned, title_source, deleted_at, tags, workspace ON conversation
  BEGIN
    UPDATE revision SET value = value + 1 WHERE name = 'list';
    UPDATE conversation SET revision = (SELECT value FROM revision WHERE name = 'list') WHERE id = new.id;
  END;
  CREATE TRIGGER conversation_removed AFTER DELETE ON conversation
  BEGIN
    UPDATE revision SET value = value + 1 WHERE name = 'list';
    DELETE FROM draft WHERE conversation_id = old.id;
    DELETE FROM queued_message WHERE conversation_id = old.id;
    DELETE FROM removal WHERE conversation_id = old.id;
    INSERT INTO removal VALUES (old.id, '');
  END;

  -- In the order of seq.
  CREATE TABLE message (
    seq INTEGER PRIMARY KEY,
    -- Of all messages when the row changed last, other than by growing.
    revision INTEGER NOT NULL,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- Empty for a first message.
    parent_id TEXT NOT NULL,
    -- While it streams: the window that writes it.
    writer TEXT,
    -- JSON of what is small and never searched: tool calls, model, usage, finish reason, error.
    details TEXT NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    UNIQUE (conversation_id, id)
  ) STRICT;
  CREATE INDEX message_by_revision ON message (conversation_id, revision);

  -- The growth of a streaming message, joined with its row when it ends.
  CREATE TABLE growth (
    message_seq INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    PRIMARY KEY (message_seq, number)
  ) STRICT, WITHOUT ROWID;

  -- Text files, and images and audio as base64, each once however often they are sent.
  CREATE TABLE attachment (
    hash TEXT PRIMARY KEY,
    data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE message_attachment (
    message_seq INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    -- The media type of an image, the format of audio.
    format TEXT NOT NULL,
    title TEXT,
    hash TEXT NOT NULL REFERENCES attachment (hash),
    UNIQUE (message_seq, position)
  ) STRICT;
  CREATE INDEX message_attachment_by_hash ON message_attachment (hash);

  CREATE TRIGGER free_attachment AFTER DELETE ON message_attachment
  WHEN NOT EXISTS (SELECT 1 FROM message_attachment WHERE hash = old.hash)
  BEGIN
    DELETE FROM attachment WHERE hash = old.hash;
  END;

  -- Of each window. Without a reference: a chat that was never sent has a draft, but no row of its own yet.
  CREATE TABLE draft (
    conversation_id TEXT NOT NULL,
    window_id TEXT NOT NULL,
    -- In the order in which they were written.
    number INTEGER NOT NULL,
    -- Milliseconds since 1970.
    written_at INTEGER NOT NULL,
    -- Differs for every different draft.
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (conversation_id, window_id)
  ) STRICT;
  CREATE TABLE draft_attachments (
    conversation_id TEXT NOT NULL,
    window_id TEXT NOT NULL,
    -- Differs for all different attachments.
    key TEXT NOT NULL,
    -- JSON of the attachments, whole.
    attachments TEXT NOT NULL,
    PRIMARY KEY (conversation_id, window_id),
    FOREIGN KEY (conversation_id, window_id) REFERENCES draft (conversation_id, window_id)
      ON UPDATE CASCADE ON DELETE CASCADE
  ) STRICT;

  -- Messages that wait for the response in progress to end, in the order of their positions.
  CREATE TABLE queued_message (
    conversation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- JSON of the attachments, whole.
    attachments TEXT NOT NULL,
    PRIMARY KEY (conversation_id, id)
  ) STRICT;

  -- What only one window may do, and until when nobody else may, in milliseconds since 1970.
  CREATE TABLE claim (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;

  -- Messages that were removed or replaced, and conversations (without a message ID) that were removed or have other
  -- words of their own now. The backups still have them.
  CREATE TABLE removal (
    conversation_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (conversation_id, message_id)
  ) STRICT, WITHOUT ROWID;
  -- Without OR IGNORE: the conflict clause of the statement that fires a trigger would take its place.
  CREATE TRIGGER message_removed AFTER DELETE ON message
  BEGIN
    INSERT INTO removal SELECT old.conversation_id, old.id
      WHERE NOT EXISTS (SELECT 1 FROM removal WHERE conversation_id = old.conversation_id AND message_id = old.id);
  END;
  CREATE TRIGGER message_replaced AFTER UPDATE OF text, reasoning, details ON message
  WHEN old.status <> 'streaming' AND (new.text, new.reasoning, new.details) <> (old.text, old.reasoning, old.details)
  BEGIN
    INSERT INTO removal SELECT old.conversation_id, old.id
      WHERE NOT EXISTS (SELECT 1 FROM removal WHERE conversation_id = old.conversation_id AND message_id = old.id);
  END;
  CREATE TRIGGER attachment_removed AFTER DELETE ON message_attachment
  BEGIN
    INSERT INTO removal SELECT conversation_id, id FROM message
      WHERE seq = old.message_seq
        AND NOT EXISTS (SELECT 1 FROM removal WHERE conversation_id = message.conversation_id AND message_id = message.id);
  END;
  CREATE TRIGGER conversation_reworded AFTER UPDATE OF title, tags, settings ON conversation
  WHEN (new.title, new.tags, new.settings) IS NOT (old.title, old.tags, old.settings)
  BEGIN
    INSERT INTO removal SELECT old.id, ''
      WHERE NOT EXISTS (SELECT 1 FROM removal WHERE conversation_id = old.id AND message_id = '');
  END;

  -- The full-text index contains no texts, only which characters and which short words are in which message.
  ${indexTables}
  -- Messages that the index doesn't have in their current form. One that is growing has no final form yet.
  CREATE TABLE search_pending (message_seq INTEGER PRIMARY KEY) STRICT;
  -- Whether segments of the index may still have the words of removed messages.
  CREATE TABLE search_removal (id INTEGER PRIMARY KEY) STRICT;
  CREATE TRIGGER search_added AFTER INSERT ON message WHEN new.text <> ''
  BEGIN
    INSERT INTO search_pending SELECT new.seq
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE message_seq = new.seq);
  END;
  CREATE TRIGGER search_changed AFTER UPDATE OF text ON message WHEN new.text <> old.text
  BEGIN
    INSERT INTO search_pending SELECT new.seq
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE message_seq = new.seq);
  END;
  CREATE TRIGGER search_removed AFTER DELETE ON message
  BEGIN
    INSERT INTO search_pending SELECT old.seq
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE message_seq = old.seq);
  END;
  `,
  `
  -- JSON of the parts that weren't typed.
  ALTER TABLE draft ADD COLUMN quotes TEXT;
  ALTER TABLE queued_message ADD COLUMN quotes TEXT;
  `,
];

/** The tables that contain what users have written and received, referenced tables first. */
export const userTables = [
  "conversation",
  "message",
  "growth",
  "attachment",
  "message_attachment",
  "draft",
  "draft_attachments",
  "queued_message",
] as const;

/** A newer version of the extension has written the file, so this one must not change it. */
export class NewerSchemaError extends Error {}

/** Throws a DamagedError if the tables aren't those of this extension, or if the list of tables is lost. */
export function checkSchema(database: DatabaseSync): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('message')").all();
  if (!columns.some(({ name }) => name === "seq"))
    throw new DamagedError("The table of messages is missing.");
}

/** Upgrades the database, which may be empty, to the current schema. Two windows may do so at the same time. */
export function createSchema(database: DatabaseSync): void {
  const version = schemaVersion(database);
  if (version > schemaSteps.length) throw new NewerSchemaError();
  if (version === schemaSteps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again, because another window may have upgraded the file while this one waited for it.
    const current = schemaVersion(database);
    // Other programs leave the number at 0, but not the file empty.
    if (current > 0 || hasTables(database)) checkSchema(database);
    for (const step of schemaSteps.slice(current)) database.exec(step);
    database.exec(`PRAGMA user_version = ${schemaSteps.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function schemaVersion(database: DatabaseSync): number {
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"];
  return typeof version === "number" ? version : 0;
}
