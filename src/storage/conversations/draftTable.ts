import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { emptyDraft } from "../../core/conversation/conversationStore.ts";
import type { Draft, OtherDraft } from "../../core/conversation/conversationStore.ts";
import { parseQuotes } from "../../core/conversation/quotes.ts";
import { parseContentParts } from "../../core/conversation/messageDetails.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { statementsOf } from "../database/journal.ts";
import { nameAttachment, storable, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";

/**
 * This window's composers and those of all other windows. What is typed here replaces only what this window has seen,
 * never what another window has typed since.
 */
export class WindowDrafts {
  readonly #windowId: string;
  readonly #now: () => number;
  /** `draftKey` of what this window's composer contains, by conversation. */
  readonly #known = new Map<string, string>();

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
    return filledFields({ windowId: this.#windowId, now: this.#now(), base });
  }

  /**
   * What another window has written over the draft that this window has seen, if nothing else was typed here; undefined
   * if there is nothing new.
   */
  loadNew(table: DraftTable, conversationId: string): Draft | undefined {
    const last = table.lastKey(conversationId);
    if (table.hasOwn(conversationId, this.#windowId) || last === (this.#known.get(conversationId) ?? ""))
      return undefined;
    return table.read(conversationId, this.#windowId);
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

/** A conversation in which nothing was ever sent doesn't have a row yet. */
const ofConversation = `
  FROM draft WHERE conversation_id = ?1
    AND NOT EXISTS (SELECT 1 FROM conversation WHERE id = ?1 AND deleted_at IS NOT NULL)`;
const nextNumber = "(SELECT coalesce(max(number), 0) + 1 FROM draft WHERE conversation_id = ?1)";
const shown = `SELECT * ${ofConversation} ORDER BY window_id = ?2 DESC, number DESC LIMIT 1`;
const ofWindow = "WHERE conversation_id = ?1 AND window_id = ?2";

/**
 * The drafts in an open database: one for each window whose composer has something that no other window has continued.
 * The one written last is shown in windows that have none of their own. Call it inside a transaction.
 */
export class DraftTable {
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database);
  }

  /** What this window's composer contains; otherwise, what was last written in any window. */
  read(conversationId: string, windowId: string): Draft {
    const row = this.#sql(shown).get(conversationId, windowId);
    return row === undefined ? emptyDraft : this.#parse(conversationId, row).draft;
  }

  /** The key of the draft that was written last; empty if there is none. */
  lastKey(conversationId: string): string {
    const last = this.#sql(`SELECT key ${ofConversation} ORDER BY number DESC LIMIT 1`).get(conversationId);
    return textColumn(last ?? {}, "key");
  }

  /** Whether this window's composer has something of its own. */
  hasOwn(conversationId: string, windowId: string): boolean {
    const own = this.#sql(`SELECT 1 ${ofConversation} AND window_id = ?2`);
    return own.get(conversationId, windowId) !== undefined;
  }

  /** The drafts that this window's composer doesn't show, latest first. */
  others(conversationId: string, windowId: string): readonly OtherDraft[] {
    const shownId = textColumn(this.#sql(shown).get(conversationId, windowId) ?? {}, "window_id");
    return this.#sql(`SELECT * ${ofConversation} ORDER BY number DESC`)
      .all(conversationId)
      .filter((row) => row["window_id"] !== shownId)
      .map((row) => this.#parse(conversationId, row));
  }

  /** Replaces this window's draft, and the one that it continues. An empty draft removes both. */
  put(conversationId: string, draft: Draft, { windowId, now, base }: DraftOrigin): void {
    const key = draftKey(draft);
    // A draft shown unchanged from another window still belongs to that window.
    if (key !== "" && key === this.lastKey(conversationId)) return;
    this.#sql("DELETE FROM draft WHERE conversation_id = ? AND window_id <> ? AND key = ?").run(
      ...[conversationId, key === "" ? "" : windowId, base ?? null],
    );
    if (key === "") return this.drop(conversationId, windowId);
    this.#sql(
      `
      INSERT INTO draft (conversation_id, window_id, written_at, key, text, quotes, number)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ${nextNumber})
      ON CONFLICT (conversation_id, window_id) DO UPDATE
      SET written_at = excluded.written_at, key = excluded.key, text = excluded.text, quotes = excluded.quotes,
        number = excluded.number`,
    ).run(...[conversationId, windowId, now, key, storable(draft.text), quotesColumn(draft)]);
    // A draft is written at every pause in typing, but its images only when they change.
    const attachments = draftKey({ text: "", attachments: draft.attachments });
    const stored = this.#sql(`SELECT key FROM draft_attachments ${ofWindow}`).get(conversationId, windowId);
    if (stored?.["key"] === attachments) return;
    this.#sql("INSERT OR REPLACE INTO draft_attachments VALUES (?, ?, ?, ?)").run(
      ...[conversationId, windowId, attachments, JSON.stringify(draft.attachments)],
    );
  }

  /** Lets this window continue another window's draft. Its own one is kept as another one. */
  takeOther(conversationId: string, otherId: string, { windowId, now }: DraftOrigin): void {
    if (!this.hasOwn(conversationId, otherId)) return;
    // Not as this window's own draft, which is replaced with every keystroke.
    const pass = this.#sql(`UPDATE draft SET window_id = ?3 ${ofWindow}`);
    pass.run(conversationId, windowId, `${windowId} ${now}`);
    pass.run(conversationId, otherId, windowId);
    this.#sql(`UPDATE draft SET number = ${nextNumber} ${ofWindow}`).run(conversationId, windowId);
  }

  drop(conversationId: string, windowId: string): void {
    this.#sql(`DELETE FROM draft ${ofWindow}`).run(conversationId, windowId);
  }

  /** Removes the drafts of all windows: the conversation is permanently deleted. */
  removeAll(conversationId: string): void {
    this.#sql("DELETE FROM draft WHERE conversation_id = ?").run(conversationId);
  }

  #parse(conversationId: string, row: Row): OtherDraft {
    const windowId = textColumn(row, "window_id");
    const stored = this.#sql(`SELECT attachments FROM draft_attachments ${ofWindow}`);
    const { attachments } = stored.get(conversationId, windowId) ?? {};
    return { windowId, draft: parseDraft({ ...row, attachments: attachments ?? null }) };
  }
}

/** The quotes of a draft for its column. */
export function quotesColumn({ quotes }: Draft): string | null {
  return quotes === undefined ? null : JSON.stringify(quotes);
}

/** The draft in a row with its attachments. */
export function parseDraft(row: Row): Draft {
  return filledFields({
    text: textColumn(row, "text"),
    attachments: parseContentParts(parseJson(row["attachments"])),
    quotes: parseQuotes(parseJson(row["quotes"])),
  });
}
