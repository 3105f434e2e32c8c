import type { DatabaseSync } from "node:sqlite";

/**
 * The steps from an empty file to today's schema; `user_version` counts the steps that a file has taken. Steps are
 * only ever added: a landed one is never changed.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE conversation (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    model TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX conversation_by_update ON conversation (updated_at DESC);

  CREATE TABLE message (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    -- The message that this one follows: siblings (versions of an answer) share it.
    parent_id TEXT,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    -- JSON of what is small and not searched: tool calls, model, usage, finish reason, error.
    details TEXT NOT NULL,
    -- While it streams: who writes it and when it last did, so that another window can tell a crash from work.
    writer TEXT,
    written_at INTEGER
  ) STRICT;
  CREATE INDEX message_by_conversation ON message (conversation_id, position);

  -- What a streaming message grew by; merged into its row when it ends.
  CREATE TABLE message_chunk (
    message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    PRIMARY KEY (message_id, sequence)
  ) STRICT, WITHOUT ROWID;

  -- Pictures and recordings, once each however often they are sent.
  CREATE TABLE attachment (
    hash TEXT PRIMARY KEY,
    part TEXT NOT NULL
  ) STRICT;
  CREATE TABLE message_attachment (
    message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    hash TEXT NOT NULL REFERENCES attachment (hash),
    PRIMARY KEY (message_id, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_attachment_by_hash ON message_attachment (hash);

  CREATE TABLE draft (
    conversation_id TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  `,
];

/** A file that a newer version of the extension has written: this version must not touch it. */
export class NewerSchemaError extends Error {}

/** Brings the file to today's schema; two windows may do so at once. */
export function migrate(database: DatabaseSync): void {
  if (schemaVersion(database) === steps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = schemaVersion(database);
    if (version > steps.length) throw new NewerSchemaError(`Schema version ${version}`);
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function schemaVersion(database: DatabaseSync): number {
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"];
  return typeof version === "number" ? version : 0;
}
