import { randomUUID } from "node:crypto";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import { emptyDraft } from "../../core/conversation/conversationStore.ts";
import { draftKey } from "./draftTable.ts";
import type { DraftOrigin, DraftTable } from "./draftTable.ts";

/**
 * The composers of this window among those of all others: what was typed here goes over what was seen here, and never
 * over what another window has typed meanwhile.
 */
export class WindowDrafts {
  readonly #windowId = randomUUID();
  readonly #now: () => number;
  /** By conversation: what this window has in its composer, by `draftKey`. */
  readonly #known = new Map<string, string>();
  /** By conversation: how far the file had come at the last look. */
  readonly #looks = new Map<string, number>();

  /** @param now Milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What stands in the composer of this window; in a new one, what was written last in any window. */
  load(table: DraftTable, conversationId: string): Draft {
    const draft = table.read(conversationId, this.#windowId);
    this.#known.set(conversationId, draftKey(draft));
    return draft;
  }

  /** Returns the change of the table that stores the draft. */
  save(conversationId: string, draft: Draft): (table: DraftTable) => void {
    const origin = this.#origin(conversationId);
    this.#known.set(conversationId, draftKey(draft));
    return (table) => table.put(conversationId, draft, origin);
  }

  /** Returns the change of the table after which this window has what another one had. */
  take(conversationId: string, otherId: string): (table: DraftTable) => void {
    const origin = this.#origin(conversationId);
    return (table) => table.takeOther(conversationId, otherId, origin);
  }

  /**
   * What another window has written over what this one has seen, if nothing else was typed here; undefined if there is
   * nothing new.
   * @param version Of the file: another one once another window has written.
   */
  loadNew(table: DraftTable, conversationId: string, version: number): Draft | undefined {
    if (this.#looks.get(conversationId) === version) return undefined;
    this.#looks.set(conversationId, version);
    if (table.isApart(conversationId, this.#windowId)) return undefined;
    const last = table.readLast(conversationId) ?? emptyDraft;
    return draftKey(last) === (this.#known.get(conversationId) ?? "") ? undefined : last;
  }

  #origin(conversationId: string): DraftOrigin {
    return { windowId: this.#windowId, now: this.#now(), base: this.#known.get(conversationId) };
  }
}
