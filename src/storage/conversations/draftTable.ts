import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { ContentPart } from "../../core/conversation/completion.ts";
import { emptyDraft } from "../../core/conversation/conversationStore.ts";
import type { Draft, OtherDraft } from "../../core/conversation/conversationStore.ts";
import { parseContentParts } from "../../core/conversation/messageDetails.ts";
import { parseJson } from "../../core/kernel/json.ts";
import type { AttachmentRow } from "../database/messageRow.ts";
import {
  numberColumn,
  storable,
  textColumn,
  nameAttachment,
  parseAttachment,
  writeAttachment,
} from "../database/messageRow.ts";

/**
 * This window's composers and those of all other windows. What is typed here replaces only what this window has seen,
 * never what another window has typed since.
 */
export class WindowDrafts {
  readonly #windowId: string;
  readonly #now: () => number;
  /** `draftKey` of what this window's composer contains, by conversation. */
  readonly #known = new Map<string, string>();
  /** The file's version at the last check, by conversation. */
  readonly #looks = new Map<string, number>();

  /** @param now Milliseconds since 1970. */
  constructor(windowId: string, now: () => number) {
    this.#windowId = windowId;
    this.#now = now;
  }

  /** What this window's composer contains; in a new window, what was last written in any window. */
  load(table: DraftTable, conversationId: string): Draft {
    const draft = table.read(conversationId, this.#windowId);
    this.#known.set(conversationId, draftKey(draft));
    return draft;
  }

  /** The composer now contains this draft, or what is loaded next. Returns what it is based on. */
  change(conversationId: string, draft?: Draft): DraftOrigin {
    const base = this.#known.get(conversationId);
    if (draft !== undefined) this.#known.set(conversationId, draftKey(draft));
    return { windowId: this.#windowId, now: this.#now(), ...(base === undefined ? {} : { base }) };
  }

  /**
   * What another window has written over the draft that this window has seen, if nothing else was typed here; undefined
   * if there is nothing new.
   * @param version The file's data version, which changes whenever another window has written.
   */
  loadNew(table: DraftTable, conversationId: string, version: number): Draft | undefined {
    if (this.#looks.get(conversationId) === version) return undefined;
    this.#looks.set(conversationId, version);
    if (table.isApart(conversationId, this.#windowId)) return undefined;
    const last = table.readLast(conversationId) ?? emptyDraft;
    return draftKey(last) === (this.#known.get(conversationId) ?? "") ? undefined : last;
  }
}

/** The writer of a draft, and the stored draft that it is based on. */
export interface DraftOrigin {
  readonly windowId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `draftKey` of the draft that this one continues. Any other stored draft belongs to another window. */
  readonly base?: string;
}

/** A key that differs for every different draft. It may be written to a file after the draft itself was deleted. */
function draftKey({ text, attachments }: Draft): string {
  if (text === "" && attachments.length === 0) return "";
  const names = attachments
    .map(nameAttachment)
    .map(({ type, format, title, hash }) => [type, format, title, hash]);
  return createHash("sha256")
    .update(JSON.stringify([storable(text), names]))
    .digest("hex");
}

/**
 * The drafts in an open database. For each conversation there is the one written last, and one for every other window
 * whose composer had something else at that time. Call it inside a transaction.
 */
export class DraftTable {
  readonly #statements: ReturnType<typeof prepareDrafts>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareDrafts(database);
  }

  /** What this window's composer contains; in a new window, what was last written in any window. */
  read(conversationId: string, windowId: string): Draft {
    const own = this.#statements.other.get(conversationId, windowId);
    if (own !== undefined) return parseOther(own).draft;
    return this.readLast(conversationId) ?? this.others(conversationId)[0]?.draft ?? emptyDraft;
  }

  /** The draft written last; undefined if it was sent or removed. */
  readLast(conversationId: string): Draft | undefined {
    const row = this.#statements.last.get(conversationId);
    if (row === undefined) return undefined;
    const rows = this.#statements.attachments.all(conversationId);
    return { text: textColumn(row, "text"), attachments: rows.flatMap(parseAttachment) };
  }

  /** Whether another window has replaced the stored draft while this window's composer has something else. */
  isApart(conversationId: string, windowId: string): boolean {
    return this.#statements.other.get(conversationId, windowId) !== undefined;
  }

  /** The drafts in other windows' composers, latest first. */
  others(conversationId: string): readonly OtherDraft[] {
    return this.#statements.others.all(conversationId).map(parseOther);
  }

  /** An empty draft removes this window's draft but keeps those of other windows. */
  put(conversationId: string, draft: Draft, origin: DraftOrigin): void {
    const { windowId, base } = origin;
    const stored = this.readLast(conversationId);
    const [key, storedKey] = [draftKey(draft), stored === undefined ? "" : draftKey(stored)];
    // A draft shown unchanged from another window still belongs to that window.
    if (key === storedKey && key !== "") return;
    const isTheirs = storedKey !== "" && storedKey !== base && this.#ownerOf(conversationId) !== windowId;
    this.#removeFormer(conversationId, origin);
    if (key === "") {
      if (!isTheirs) this.#statements.delete.run(conversationId);
      return;
    }
    if (isTheirs && stored !== undefined) this.#keep(conversationId, stored, origin.now);
    this.#statements.put.run(conversationId, storable(draft.text), windowId);
    // A draft is written at every pause in typing, but its images only when they change.
    if (JSON.stringify(draft.attachments.map(nameAttachment)) === this.#storedNames(stored)) return;
    this.#putAttachments(conversationId, draft.attachments.map(writeAttachment));
  }

  /** Lets this window continue another window's draft. The draft that was written last is kept in its place. */
  takeOther(conversationId: string, otherId: string, { windowId, now }: DraftOrigin): void {
    const row = this.#statements.other.get(conversationId, otherId);
    if (row === undefined) return;
    const last = this.readLast(conversationId);
    this.#statements.deleteOther.run(conversationId, otherId);
    if (last !== undefined) {
      const { text, attachments } = last;
      // Not stored as this window's own draft, which is replaced with every keystroke.
      this.#statements.keep.run(conversationId, `${windowId} ${now}`, now, text, JSON.stringify(attachments));
    }
    const { draft } = parseOther(row);
    this.#statements.put.run(conversationId, draft.text, windowId);
    this.#putAttachments(conversationId, draft.attachments.map(writeAttachment));
  }

  dropOther(conversationId: string, windowId: string): void {
    this.#statements.deleteOther.run(conversationId, windowId);
  }

  /** Removes the drafts of all windows: the conversation is permanently deleted. */
  removeAll(conversationId: string): void {
    this.#statements.delete.run(conversationId);
    for (const { windowId } of this.others(conversationId)) this.dropOther(conversationId, windowId);
  }

  #ownerOf(conversationId: string): string {
    return textColumn(this.#statements.last.get(conversationId) ?? {}, "window_id");
  }

  /** Removes this window's previous draft, and the draft that it has continued. */
  #removeFormer(conversationId: string, { windowId, base }: DraftOrigin): void {
    for (const other of this.others(conversationId))
      if (other.windowId === windowId || draftKey(other.draft) === base)
        this.#statements.deleteOther.run(conversationId, other.windowId);
  }

  #keep(conversationId: string, { text, attachments }: Draft, now: number): void {
    const owner = this.#ownerOf(conversationId);
    this.#statements.keep.run(conversationId, owner, now, text, JSON.stringify(attachments));
  }

  #storedNames(stored: Draft | undefined): string {
    return JSON.stringify(stored?.attachments.map(nameAttachment) ?? []);
  }

  #putAttachments(conversationId: string, rows: readonly AttachmentRow[]): void {
    this.#statements.deleteAttachments.run(conversationId);
    for (const [position, { type, format, title, hash, data }] of rows.entries()) {
      this.#statements.putAttachment.run(hash, data);
      this.#statements.putDraftAttachment.run(conversationId, position, type, format, title, hash);
    }
  }
}

function parseOther(row: Readonly<Record<string, unknown>>): OtherDraft {
  const attachments: readonly ContentPart[] = parseContentParts(parseJson(row["attachments"]));
  return {
    windowId: textColumn(row, "window_id"),
    keptAt: numberColumn(row, "kept_at"),
    draft: { text: textColumn(row, "text"), attachments },
  };
}

/** A conversation in which nothing was ever sent doesn't have a row yet. */
const isNotDeleted = "NOT EXISTS (SELECT 1 FROM conversation WHERE id = ?1 AND deleted_at IS NOT NULL)";

function prepareDrafts(database: DatabaseSync) {
  return {
    last: database.prepare(
      `SELECT text, window_id FROM draft WHERE conversation_id = ?1 AND ${isNotDeleted}`,
    ),
    put: database.prepare(`
      INSERT INTO draft (conversation_id, text, window_id) VALUES (?, ?, ?)
      ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text, window_id = excluded.window_id`),
    delete: database.prepare("DELETE FROM draft WHERE conversation_id = ?"),
    other: database.prepare(
      `SELECT * FROM other_draft WHERE conversation_id = ?1 AND window_id = ?2 AND ${isNotDeleted}`,
    ),
    others: database.prepare(
      `SELECT * FROM other_draft WHERE conversation_id = ?1 AND ${isNotDeleted} ORDER BY kept_at DESC, rowid DESC`,
    ),
    keep: database.prepare(`
      INSERT INTO other_draft (conversation_id, window_id, kept_at, text, attachments) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (conversation_id, window_id) DO UPDATE
      SET kept_at = excluded.kept_at, text = excluded.text, attachments = excluded.attachments`),
    deleteOther: database.prepare("DELETE FROM other_draft WHERE conversation_id = ? AND window_id = ?"),
    attachments: database.prepare(`
      SELECT type, format, title, data FROM draft_attachment JOIN attachment USING (hash)
      WHERE conversation_id = ? ORDER BY position`),
    deleteAttachments: database.prepare("DELETE FROM draft_attachment WHERE conversation_id = ?"),
    putAttachment: database.prepare("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)"),
    putDraftAttachment: database.prepare(`
      INSERT INTO draft_attachment (conversation_id, position, type, format, title, hash)
      VALUES (?, ?, ?, ?, ?, ?)`),
  };
}
