import type { Usage } from "../../conversation/completion.ts";
import type { Cost } from "../../conversation/prices.ts";
import type { RequestPurpose } from "../../conversation/requestPurpose.ts";
import type { RequestTotal } from "../../conversation/requestTotal.ts";
import type { ErrorReason } from "../../kernel/errors.ts";
import type { Budget, BudgetExcess, BudgetPeriods, Spending } from "../../conversation/budget.ts";

/** How a request ended, or `running`. `refused`: nothing was sent. `lost`: its window ended before it did. */
export const ledgerOutcomes = ["running", "complete", "stopped", "failed", "refused", "lost"] as const;

/** How a request in the ledger ended. */
export type LedgerOutcome = (typeof ledgerOutcomes)[number];

/** What is entered about a request before it is sent. */
export interface LedgerStart {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly purpose: RequestPurpose;
  /** The ID of the extension that sends it, if it isn't ours. */
  readonly extension?: string;
  readonly profile: string;
  readonly model: string;
  /** The name of the workspace. */
  readonly workspace?: string;
  readonly conversationId?: string;
  readonly messageId?: string;
  /** What it is expected to cost. It counts toward the budget until the real cost is known. */
  readonly reserved?: Cost;
}

/** What is entered about a request when it has ended. */
export interface LedgerEnd {
  readonly outcome: LedgerOutcome;
  /** Number of HTTP requests, including retries. */
  readonly attempts: number;
  readonly durationMs: number;
  readonly usage: Usage;
  /** The server reported no token counts, so `usage` is our own estimate. */
  readonly isEstimated: boolean;
  readonly cost?: Cost;
  readonly reason?: ErrorReason;
  readonly requestId?: string;
}

/** One request. */
export type LedgerRow = Omit<LedgerStart, "reserved"> & LedgerEnd;

/** The budget, and since when each of its periods counts. */
export interface LedgerLimit {
  readonly budget: Budget;
  readonly periods: BudgetPeriods;
  /** What the request costs at least. */
  readonly least?: Cost;
}

/** What is known about a request while it is running. */
export interface LedgerProgress {
  readonly attempts: number;
  /** Our own estimate of what was sent and received, and its cost: all that is booked if the window is killed. */
  readonly usage: Usage;
  readonly received?: Cost;
  /** What it is expected to cost now. */
  readonly reserved?: Cost;
  readonly requestId?: string;
}

/** Port: the rows on disk, shared by all windows. Throws while another window is writing; try again in a moment. */
export interface LedgerStore {
  /** Enters the request unless the budget is used up. The check and the entry are one step for all windows. */
  enter(start: LedgerStart, limit: LedgerLimit | undefined): BudgetExcess | undefined;
  /** Replaces what was entered at the start. */
  end(start: LedgerStart, end: LedgerEnd): void;
  /** The average output tokens of the model's latest responses; undefined if there are none. */
  usualOutput(model: string): number | undefined;
  /** Enters what is known about a running request. What is reserved for it never becomes less. */
  note(id: string, progress: LedgerProgress): void;
  /** The rows since this time (milliseconds since 1970), the latest first. */
  read(since: number): readonly LedgerRow[];
  /** The sums of the requests since this time, the earliest hour first. */
  totals(since: number): readonly RequestTotal[];
  /** What was spent and reserved since this time. */
  spentSince(since: number): readonly Spending[];
}
