import type { LiveCall } from "./liveCalls.ts";

/** What a page shows of the tools beside the messages. */
export interface ToolsView {
  /** The calls that wait for the user, or run. */
  readonly calls: readonly LiveCall[];
  /** The answer whose calls were not run because there had been too many rounds, and how many are allowed. */
  readonly limit?: { readonly messageId: string; readonly rounds: number };
}
