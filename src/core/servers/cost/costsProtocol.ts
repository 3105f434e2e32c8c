import * as v from "valibot";
import { pageError, rule } from "../../kernel/pageMessages.ts";
import type { MessageOf } from "../../kernel/pageMessages.ts";

/** What the page can show: the days of a period in UTC. */
export const costPeriods = ["today", "week", "month"] as const;

/** What the table of the page has a row for. */
export const costGroups = ["day", "server", "model", "profile", "workspace"] as const;

/** What a bar consists of, from the bottom up. */
export const costParts = ["servers", "estimatedServers", "requests", "estimatedRequests"] as const;

/** A part of a bar. */
export type CostPart = (typeof costParts)[number];

/** What the user has chosen to see. */
export interface CostsChoice {
  readonly period: (typeof costPeriods)[number];
  readonly group: (typeof costGroups)[number];
}

interface LabeledChoice<Id> {
  readonly id: Id;
  readonly label: string;
}

/** The costs of a day or an hour. */
interface CostBar {
  readonly label: string;
  /** The parts that cost something: from 0 to 1, 1 being the height of the plot. */
  readonly parts: readonly { readonly part: CostPart; readonly share: number; readonly text: string }[];
}

/** The costs in one currency. */
export interface CostPlot {
  /** What they come to, without what is estimated; empty if everything is. */
  readonly total: string;
  /** What is estimated; empty if nothing is. */
  readonly estimate: string;
  /** The amount at the top of the plot. */
  readonly top: string;
  readonly bars: readonly CostBar[];
  /** The parts that occur, with their names. */
  readonly legend: readonly { readonly part: CostPart; readonly label: string }[];
}

/** Everything that the page shows. */
export interface CostsView {
  readonly choice: CostsChoice;
  readonly periods: readonly LabeledChoice<CostsChoice["period"]>[];
  readonly groups: readonly LabeledChoice<CostsChoice["group"]>[];
  /** Undefined if nothing was recorded in the period. */
  readonly table?: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly total: readonly string[];
  };
  /** One for each currency. */
  readonly plots: readonly CostPlot[];
  /** What the sums don't include. */
  readonly missing: readonly string[];
  /** What the figures mean. */
  readonly notes: readonly string[];
}

/** Messages from the host to the page. */
export type ToCosts =
  | ({ readonly type: "costs" } & CostsView)
  /** The costs couldn't be read. */
  | { readonly type: "failure"; readonly message: string };

const asking = { size: 1_000, burst: 20, perSecond: 2 };
const choice = { period: v.picklist(costPeriods), group: v.picklist(costGroups) };

/** Page of the costs to host. */
export const fromCosts = [
  /** With what the page showed before VS Code discarded it. */
  rule("ready", asking, { choice: v.optional(v.object(choice)) }),
  rule("show", asking, choice),
  rule("export", asking, {}),
  rule("setPrices", asking, {}),
  pageError,
];

/** A message from the page of the costs. */
export type FromCosts = MessageOf<typeof fromCosts>;
