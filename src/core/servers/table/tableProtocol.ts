import { t } from "@vscode/l10n";
import * as v from "valibot";
import { remediesBy } from "../../account/remedies.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { pageError, rule } from "../../kernel/pageMessages.ts";
import type { MessageLimit, MessageOf } from "../../kernel/pageMessages.ts";
import type { ServerStatus } from "../server.ts";
import type { ServerCount } from "../tree/rowLabels.ts";
import type { Cell } from "../serverFacts.ts";
import type { ServerSection } from "../tree/rows.ts";
import { sectionNotice } from "../tree/sectionNotice.ts";
import type { ColumnId } from "./columns.ts";

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

/** Number of rows on the page, which a browser lays out in a moment. */
export const mostRows = 2_000;

/** The notices for these profiles. `shown` is the number of servers that pass the filter. */
export function tableNotices(sections: readonly ServerSection[], shown: number): readonly TableNotice[] {
  const notices = sections.flatMap((section) => noticeOf(section, sections.length === 1));
  const known = sections.reduce((sum, { snapshot }) => sum + snapshot.servers.length, 0);
  const notice = { profileName: "", isFailure: false, message: "" };
  if (known > 0 && shown === 0) {
    const title = t("No server matches the filter");
    return [...notices, { ...notice, title, actions: ["clearFilter"] }];
  }
  if (shown <= mostRows) return notices;
  const title = t(
    "Only the first {0} servers are shown. Use the filter to find others.",
    formatNumber(mostRows),
  );
  return [...notices, { ...notice, title, actions: [] }];
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

/** The column that the table is sorted by. Equal rows keep the gateway's order. */
export interface TableSort {
  readonly column: ColumnId;
  readonly isDescending: boolean;
}

/** A row as the page shows it, containing only the displayable part of the record. */
export interface TableRow {
  readonly id: string;
  readonly status: ServerStatus;
  /** One cell for each column. */
  readonly cells: readonly Cell[];
  /** What the menu may offer for it. */
  readonly facts: readonly string[];
  /** The profile is marked as one for production. */
  readonly isProduction?: boolean;
  /** The time of day of its data, if it is stale. */
  readonly staleSince?: string;
  /** Its use from 0 to 100, the latest last; null where nothing was measured. */
  readonly plot?: { readonly stepMs: number; readonly values: readonly (number | null)[] };
}

/** A column as the page shows it. */
export interface TableColumn {
  readonly id: ColumnId;
  readonly label: string;
  readonly isNumeric: boolean;
}

/** What is shown around the rows. */
export interface TableSurroundings {
  readonly notices: readonly TableNotice[];
  readonly isRefreshing: boolean;
  /** Number of known servers, regardless of the filter. */
  readonly known: number;
  /** Number of servers that pass the filter. */
  readonly shown: number;
  /** Number of existing servers, listed or not. */
  readonly all: ServerCount;
}

/** Messages from the host to the page of the table. */
export type ToTable =
  | {
      readonly type: "view";
      readonly filter: string;
      readonly sort: TableSort;
      readonly columns: readonly TableColumn[];
    }
  | {
      readonly type: "rows";
      readonly put: readonly TableRow[];
      readonly gone: readonly string[];
      /** The IDs of the visible rows in order; undefined if the order hasn't changed. */
      readonly order: readonly string[] | undefined;
    }
  | ({ readonly type: "surroundings" } & TableSurroundings);

const lively: MessageLimit = { size: 20_000, burst: 500, perSecond: 60 };
const asking: MessageLimit = { size: 20_000, burst: 20, perSecond: 2 };

const text = v.pipe(v.string(), v.maxLength(1_000));
const ofRow = { id: v.pipe(v.string(), v.maxLength(10_000)) };
const sort = v.optional(v.object({ column: text, isDescending: v.boolean() }));

/** Page of the table to host. */
export const fromTable = [
  /** With how the page was filtered and sorted before VS Code discarded it. */
  rule("ready", asking, { filter: v.optional(text), sort }),
  rule("filter", lively, { text }),
  /** Without a sort, by name. */
  rule("sort", lively, { sort }),
  rule("copyTable", asking, {}),
  rule("refresh", asking, {}),
  rule("select", lively, ofRow),
  rule("open", asking, ofRow),
  rule("act", asking, { action: v.picklist(remediesBy("anywhere", "servers")), profileName: text }),
  pageError,
];

/** A message from the page of the table. */
export type FromTable = MessageOf<typeof fromTable>;
