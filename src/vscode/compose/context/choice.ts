import type { Composition, Suggestion } from "../../../core/compose/context/contextProtocol.ts";

/** A row of the list and what it brings. */
export interface Choice {
  readonly suggestion: Omit<Suggestion, "id">;
  /** Absent if there is nothing to bring: the row narrows the search, or is not available. */
  pick?(): Promise<Composition>;
}

/** Nothing but a sentence. */
export function refusal(notice: string): Composition {
  return { text: "", parts: [], notice };
}
