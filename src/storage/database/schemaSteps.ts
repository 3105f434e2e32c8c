/**
 * The steps from an empty file to the current schema. `user_version` counts the steps that a file has taken. Steps are
 * only ever added, and only add things: a released step is never changed, and an older window that still has the file
 * open must be able to continue using it.
 */
export const schemaSteps: readonly string[] = [
  `
  CREATE TABLE conversation (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    model TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX conversation_by_update ON conversation (updated_at);

  -- In the order of seq.
  CREATE TABLE message (
    seq INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    -- JSON of what is small and never searched: tool calls, model, usage, finish reason, error.
    details TEXT NOT NULL,
    -- While it streams: who writes it and when that was last known to be alive.
    writer_host TEXT,
    writer_pid INTEGER,
    writer_alive_at INTEGER,
    UNIQUE (conversation_id, id)
  ) STRICT;
  CREATE INDEX message_by_conversation ON message (conversation_id);

  -- What a streaming message grew by, merged into its row when it ends.
  CREATE TABLE message_chunk (
    seq INTEGER PRIMARY KEY,
    message_seq INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL
  ) STRICT;
  CREATE INDEX message_chunk_by_message ON message_chunk (message_seq);

  -- Pictures and recordings, once each however often they are sent: bytes, or text where it isn't plain base64.
  CREATE TABLE attachment (
    hash TEXT PRIMARY KEY,
    data ANY NOT NULL
  ) STRICT;
  CREATE TABLE message_attachment (
    message_seq INTEGER NOT NULL REFERENCES message (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    -- The media type of a picture, the format of a recording.
    format TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES attachment (hash),
    UNIQUE (message_seq, position)
  ) STRICT;
  CREATE INDEX message_attachment_by_hash ON message_attachment (hash);
  CREATE TRIGGER free_attachment AFTER DELETE ON message_attachment
  WHEN NOT EXISTS (SELECT 1 FROM message_attachment WHERE hash = old.hash)
  BEGIN
    DELETE FROM attachment WHERE hash = old.hash;
  END;

  -- Without a reference: a chat that was never sent has a draft, but no row of its own yet.
  CREATE TABLE draft (
    conversation_id TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER free_draft AFTER DELETE ON conversation
  BEGIN
    DELETE FROM draft WHERE conversation_id = old.id;
  END;
  `,
  `
  ALTER TABLE conversation ADD COLUMN settings TEXT;
  ALTER TABLE conversation ADD COLUMN leaf_id TEXT;
  ALTER TABLE conversation ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE conversation ADD COLUMN title_source TEXT NOT NULL DEFAULT 'words';
  ALTER TABLE conversation ADD COLUMN deleted_at INTEGER;
  -- Empty for a first message. NULL where the writer knew no versions yet: the message before.
  ALTER TABLE message ADD COLUMN parent_id TEXT;
  ALTER TABLE message_attachment ADD COLUMN title TEXT;

  CREATE TABLE draft_attachment (
    conversation_id TEXT NOT NULL REFERENCES draft (conversation_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    format TEXT NOT NULL,
    hash TEXT NOT NULL REFERENCES attachment (hash),
    title TEXT,
    UNIQUE (conversation_id, position)
  ) STRICT;
  CREATE INDEX draft_attachment_by_hash ON draft_attachment (hash);

  -- Drafts hold attachments, too.
  DROP TRIGGER free_attachment;
  CREATE TRIGGER free_attachment AFTER DELETE ON message_attachment
  WHEN NOT EXISTS (SELECT 1 FROM message_attachment WHERE hash = old.hash)
    AND NOT EXISTS (SELECT 1 FROM draft_attachment WHERE hash = old.hash)
  BEGIN
    DELETE FROM attachment WHERE hash = old.hash;
  END;
  CREATE TRIGGER free_draft_attachment AFTER DELETE ON draft_attachment
  WHEN NOT EXISTS (SELECT 1 FROM message_attachment WHERE hash = old.hash)
    AND NOT EXISTS (SELECT 1 FROM draft_attachment WHERE hash = old.hash)
  BEGIN
    DELETE FROM attachment WHERE hash = old.hash;
  END;
  `,
  `
  -- Messages that the index of the search doesn't know in their last form; a growing one is none of them yet.
  CREATE TABLE search_pending (
    message_seq INTEGER PRIMARY KEY
  ) STRICT;
  INSERT INTO search_pending SELECT seq FROM message WHERE status <> 'streaming';
  -- Not by OR IGNORE: the conflict clause of the statement that fires a trigger would take its place.
  CREATE TRIGGER search_added AFTER INSERT ON message WHEN new.status <> 'streaming'
  BEGIN
    INSERT INTO search_pending SELECT new.seq
      WHERE NOT EXISTS (SELECT 1 FROM search_pending WHERE message_seq = new.seq);
  END;
  CREATE TRIGGER search_changed AFTER UPDATE OF text, status ON message
  WHEN new.status <> 'streaming' AND (new.text <> old.text OR new.status <> old.status)
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
  -- While a message streams: which process writes it, beyond a doubt. Its number alone may be given away again.
  ALTER TABLE message ADD COLUMN writer_process TEXT;

  -- Grows with every change of any message but by chunks: other windows read only what is new to them.
  ALTER TABLE message ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX message_by_revision ON message (conversation_id, revision);
  CREATE TABLE message_revision (value INTEGER NOT NULL) STRICT;
  INSERT INTO message_revision VALUES (0);
  CREATE TRIGGER message_added AFTER INSERT ON message
  BEGIN
    UPDATE message_revision SET value = value + 1;
    UPDATE message SET revision = (SELECT value FROM message_revision) WHERE seq = new.seq;
  END;
  CREATE TRIGGER message_changed AFTER UPDATE OF role, status, text, reasoning, details, parent_id ON message
  BEGIN
    UPDATE message_revision SET value = value + 1;
    UPDATE message SET revision = (SELECT value FROM message_revision) WHERE seq = new.seq;
  END;

  -- Which window (store) has written the draft last. Drafts of other windows that it has not seen are kept beside it.
  ALTER TABLE draft ADD COLUMN window_id TEXT;
  CREATE TABLE other_draft (
    conversation_id TEXT NOT NULL,
    window_id TEXT NOT NULL,
    -- Milliseconds since 1970.
    kept_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- JSON of the attachments, whole.
    attachments TEXT NOT NULL,
    PRIMARY KEY (conversation_id, window_id)
  ) STRICT;
  CREATE TRIGGER free_other_draft AFTER DELETE ON conversation
  BEGIN
    DELETE FROM other_draft WHERE conversation_id = old.id;
  END;
  `,
  `
  -- What the list shows of a conversation changed last when the counter had this value.
  ALTER TABLE conversation ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX conversation_by_revision ON conversation (revision);
  CREATE INDEX conversation_by_deletion ON conversation (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE list_revision (value INTEGER NOT NULL) STRICT;
  INSERT INTO list_revision VALUES (0);
  CREATE TRIGGER conversation_added AFTER INSERT ON conversation
  BEGIN
    UPDATE list_revision SET value = value + 1;
    UPDATE conversation SET revision = (SELECT value FROM list_revision) WHERE id = new.id;
  END;
  CREATE TRIGGER conversation_changed
  AFTER UPDATE OF title, created_at, updated_at, is_pinned, title_source, deleted_at ON conversation
  BEGIN
    UPDATE list_revision SET value = value + 1;
    UPDATE conversation SET revision = (SELECT value FROM list_revision) WHERE id = new.id;
  END;
  CREATE TRIGGER conversation_removed AFTER DELETE ON conversation
  BEGIN
    UPDATE list_revision SET value = value + 1;
  END;

  -- Of what the message says; NULL where that was never computed. A writer that knows no checksums leaves none.
  ALTER TABLE message ADD COLUMN checksum INTEGER;
  ALTER TABLE message_chunk ADD COLUMN checksum INTEGER;
  CREATE TRIGGER message_checksum_outdated
  AFTER UPDATE OF id, conversation_id, role, created_at, text, reasoning, details, parent_id ON message
  WHEN new.checksum IS NOT NULL AND new.checksum IS old.checksum
    AND (new.id, new.conversation_id, new.role, new.created_at, new.text, new.reasoning, new.details, new.parent_id)
      IS NOT (old.id, old.conversation_id, old.role, old.created_at, old.text, old.reasoning, old.details, old.parent_id)
  BEGIN
    UPDATE message SET checksum = NULL WHERE seq = new.seq;
  END;

  -- What is still to be done to the file as a whole, once.
  CREATE TABLE housekeeping (task TEXT PRIMARY KEY) STRICT;
  -- What was deleted before deletions were overwritten.
  INSERT INTO housekeeping SELECT 'vacuum'
    WHERE EXISTS (SELECT 1 FROM conversation) OR EXISTS (SELECT 1 FROM draft);
  `,
  `
  -- Messages that wait for the response in progress to end, in the order of their positions.
  CREATE TABLE queued_message (
    conversation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- JSON of the attachments, whole.
    attachments TEXT NOT NULL,
    -- When a window started to send it, in milliseconds since 1970. It is removed along with saving the sent message.
    taken_at INTEGER,
    PRIMARY KEY (conversation_id, id)
  ) STRICT;
  CREATE TRIGGER free_queued_message AFTER DELETE ON conversation
  BEGIN
    DELETE FROM queued_message WHERE conversation_id = old.id;
  END;
  `,
  `
  -- JSON of the user's tags; NULL if there are none.
  ALTER TABLE conversation ADD COLUMN tags TEXT;
  -- The URI of the workspace in which it was started.
  ALTER TABLE conversation ADD COLUMN workspace TEXT;
  CREATE TRIGGER conversation_arranged AFTER UPDATE OF tags, workspace ON conversation
  WHEN (new.tags, new.workspace) IS NOT (old.tags, old.workspace)
  BEGIN
    UPDATE list_revision SET value = value + 1;
    UPDATE conversation SET revision = (SELECT value FROM list_revision) WHERE id = new.id;
  END;

  -- Grows with every change, because reading a message again takes as long as its attachments are large.
  ALTER TABLE queued_message ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  CREATE TRIGGER queued_message_changed AFTER UPDATE OF text, attachments ON queued_message
  BEGIN
    UPDATE queued_message SET revision = revision + 1 WHERE conversation_id = new.conversation_id AND id = new.id;
  END;
  `,
];
