import { t } from "@vscode/l10n";
import * as v from "valibot";
import { remediesBy } from "../../account/remedies.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { pageError, parsedBy, rule } from "../../kernel/pageMessages.ts";
import type { MessageLimit, MessageOf } from "../../kernel/pageMessages.ts";
import type { FilterCompletion } from "../filter/filterCompletions.ts";
import type { ServerStatus } from "../server.ts";
import type { ServerCount } from "../tree/rowLabels.ts";
import type { Cell } from "../serverFacts.ts";
import type { ServerSection } from "../tree/rows.ts";
import { sectionNotice } from "../tree/sectionNotice.ts";
import type { ColumnId } from "./columns.ts";
import { parseTableSort } from "./tableView.ts";
import type { TableSort, TableView } from "./tableView.ts";

/** An action that a notice in the table can offer. */
export type TableRemedy = RemedyBy<"anywhere" | "servers">;

/** A problem with a profile's list, and what can be done about it. */
export interface TableNotice {
  readonly profileName: string;
  readonly isFailure: boolean;
  readonly title: string;
  /** A sentence; may be empty. */
  readonly message: string;
  /** When the rows that are still shown were received, in milliseconds since 1970. */
  readonly listedAt?: number;
  /** When the request is retried, in milliseconds since 1970. */
  readonly nextTryAt?: number;
  /** The scheme that the server uses on its port, if it differs from the address. */
  readonly scheme?: "http" | "https";
  readonly actions: readonly TableRemedy[];
}

/** The notices for these profiles. `shown` is the number of servers that pass the filter. */
export function tableNotices(sections: readonly ServerSection[], shown: number): readonly TableNotice[] {
  const notices = sections.flatMap((section) => noticeOf(section, sections.length === 1));
  const known = sections.reduce((sum, { snapshot }) => sum + snapshot.servers.length, 0);
  if (shown > 0 || known === 0) return notices;
  const title = t("No server matches the filter");
  return [...notices, { profileName: "", isFailure: false, title, message: "", actions: ["clearFilter"] }];
}

function noticeOf(section: ServerSection, isAlone: boolean): readonly TableNotice[] {
  const { profileName, snapshot, nextTryAt } = section;
  const { error } = snapshot;
  const notice = sectionNotice(section);
  if (notice === undefined) return [];
  const { title, message, isFailure, listedAt, remedies } = notice;
  return [
    {
      profileName,
      isFailure,
      title: isAlone ? title : `${sanitizeLabel(profileName, 100)}: ${title}`,
      message,
      actions: remedies,
      ...(error?.scheme === undefined ? {} : { scheme: error.scheme }),
      ...(listedAt === undefined ? {} : { listedAt }),
      ...(nextTryAt === undefined || !isFailure ? {} : { nextTryAt }),
    },
  ];
}

/** A row as the page shows it, containing only the displayable part of the record. */
export interface TableRow {
  /** Identifies the same server as long as the table is open. */
  readonly handle: number;
  /** The index of its profile in `TableSurroundings.profiles`. */
  readonly profile: number;
  readonly status: ServerStatus;
  /** One cell for each column. */
  readonly cells: readonly Cell[];
  readonly isPinned?: true;
  readonly isWatched?: true;
  readonly isMuted?: true;
}

/** A column as the page shows it. */
export interface TableColumn {
  readonly id: ColumnId;
  readonly label: string;
  /** Width of the longest text, in characters. */
  readonly width: number;
}

/** The changes since the last update. The first one contains everything. */
export interface TableChange {
  readonly put: readonly TableRow[];
  readonly gone: readonly number[];
  /** The handles of the visible rows in order; undefined if the order hasn't changed. */
  readonly order: readonly number[] | undefined;
}

/** The properties shared by all rows of a profile. */
export interface TableProfile {
  /** The time of day of its rows, if they are stale. */
  readonly staleSince?: string | undefined;
  readonly isProduction: boolean;
}

/** What is shown around the rows. */
export interface TableSurroundings {
  readonly notices: readonly TableNotice[];
  readonly profiles: readonly TableProfile[];
  readonly isRefreshing: boolean;
  /** Number of known servers, regardless of the filter. */
  readonly known: number;
  /** Number of existing servers, listed or not. */
  readonly all: ServerCount;
}

/** Messages from the host to the page of the table. */
export type ToTable =
  | {
      readonly type: "view";
      readonly filter: string;
      /** Undefined means the order of the gateways. */
      readonly sort?: TableSort | undefined;
      readonly columns: readonly TableColumn[];
    }
  /** What VS Code keeps for the page when the window is reloaded. */
  | { readonly type: "keep"; readonly view: TableView }
  | ({ readonly type: "rows" } & TableChange)
  | ({ readonly type: "surroundings" } & TableSurroundings)
  | {
      readonly type: "completions";
      /** The text that these completions are for. */
      readonly text: string;
      readonly completions: readonly FilterCompletion[];
    }
  /** The row to start with, and the one at the top when the page was last open. */
  | { readonly type: "select"; readonly handle: number }
  | { readonly type: "scroll"; readonly handle: number }
  /** Opens the VS Code menu where it was requested; `context` determines what it offers for the row. */
  | { readonly type: "menu"; readonly handle: number; readonly context: string };

const lively: MessageLimit = { size: 20_000, burst: 500, perSecond: 60 };
const asking: MessageLimit = { size: 20_000, burst: 20, perSecond: 2 };

const text = v.pipe(v.string(), v.maxLength(1_000));
const ofRow = { handle: v.pipe(v.number(), v.safeInteger()) };

/** Page of the table to host. */
export const fromTable = [
  rule("ready", asking, {}),
  rule("filter", lively, { text }),
  /** Without a sort, the order of the gateways. */
  rule("sort", lively, { sort: v.optional(parsedBy(parseTableSort)) }),
  rule("chooseColumns", asking, {}),
  rule("copyTable", asking, {}),
  rule("refresh", asking, {}),
  rule("select", lively, ofRow),
  /** This row is now at the top. */
  rule("scrolled", lively, ofRow),
  rule("open", asking, ofRow),
  rule("menu", lively, ofRow),
  rule("act", asking, { action: v.picklist(remediesBy("anywhere", "servers")), profileName: text }),
  pageError,
];

/** A message from the page of the table. */
export type FromTable = MessageOf<typeof fromTable>;
