import { randomUUID } from "node:crypto";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import { emptyDraft } from "../../core/conversation/conversationStore.ts";
import { draftKey } from "./draftTable.ts";
import type { DraftOrigin, DraftTable } from "./draftTable.ts";

/**
 * This window's composers and those of all other windows. What is typed here replaces only what this window has seen,
 * never what another window has typed since.
 */
export class WindowDrafts {
  readonly #windowId = randomUUID();
  readonly #now: () => number;
  /** `draftKey` of what this window's composer contains, by conversation. */
  readonly #known = new Map<string, string>();
  /** The file's version at the last check, by conversation. */
  readonly #looks = new Map<string, number>();

  /** @param now Milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What this window's composer contains; in a new window, what was last written in any window. */
  load(table: DraftTable, conversationId: string): Draft {
    const draft = table.read(conversationId, this.#windowId);
    this.#known.set(conversationId, draftKey(draft));
    return draft;
  }

  /** Returns the table change that stores the draft. */
  save(conversationId: string, draft: Draft): (table: DraftTable) => void {
    const origin = this.#origin(conversationId);
    this.#known.set(conversationId, draftKey(draft));
    return (table) => table.put(conversationId, draft, origin);
  }

  /** Returns the table change that lets this window continue another window's draft. */
  take(conversationId: string, otherId: string): (table: DraftTable) => void {
    const origin = this.#origin(conversationId);
    return (table) => table.takeOther(conversationId, otherId, origin);
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

  #origin(conversationId: string): DraftOrigin {
    return { windowId: this.#windowId, now: this.#now(), base: this.#known.get(conversationId) };
  }
}
