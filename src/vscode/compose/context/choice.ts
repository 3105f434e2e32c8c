import type { Composition, Suggestion } from "../../../core/compose/context/contextProtocol.ts";

/** A row of the list and the context that it adds. */
export interface Choice {
  readonly suggestion: Omit<Suggestion, "id">;
  /** Absent if there is nothing to add, because the row narrows the search or isn't available. */
  pick?(): Promise<Composition>;
}

/** A composition that only shows a notice. */
export function onlyNotice(notice: string): Composition {
  return { text: "", parts: [], notice };
}
