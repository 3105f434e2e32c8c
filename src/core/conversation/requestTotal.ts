import type { Cost } from "./prices.ts";

/** The sums of the requests of one hour that have these facts in common. */
export interface RequestTotal {
  /** The beginning of the hour in UTC, in milliseconds since 1970. */
  readonly at: number;
  readonly profile: string;
  readonly model: string;
  /** The name of the workspace. */
  readonly workspace?: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Requests without a known price, apart from those that cost nothing. */
  readonly unpriced: number;
  /** What the requests cost whose token counts were reported. */
  readonly cost?: Cost;
  /** What more they cost if the estimated token counts are right. */
  readonly estimatedCost?: Cost;
}
