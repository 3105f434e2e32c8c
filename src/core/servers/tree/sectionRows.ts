import { t } from "@vscode/l10n";
import { formatAge, secondOfDay } from "../../kernel/formatTime.ts";
import type { Arrangement } from "../arrange/arrangement.ts";
import { createOrder } from "../arrange/groupServers.ts";
import type { Filter } from "../filter/matchFilter.ts";
import { GroupRows, isSameList } from "./groupRows.ts";
import { manyRows, updateRow } from "./rows.ts";
import type { ServerSection, NoticeRow, Row, RowChange, ServerRow } from "./rows.ts";
import { ServerEntries } from "./serverEntries.ts";
import type { ServerEntry } from "./serverEntries.ts";
import { sectionNotice } from "./sectionNotice.ts";

/** How rows are shown, besides what they show. */
export interface RowOptions {
  readonly arrangement: Arrangement;
  readonly filter: Filter | undefined;
  /** Whether the profile is the only one in the tree. */
  readonly isAlone: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The rows of one profile: a notice if there is a problem, then servers or groups of them. */
export class SectionRows {
  readonly #entries: ServerEntries;
  readonly #groups: GroupRows;
  readonly #noticeId: string;
  readonly #profileName: string;
  #notice: NoticeRow | undefined;
  #children: readonly Row[] = [];
  #sorted: readonly ServerEntry[] = [];

  constructor(profileName: string) {
    this.#profileName = profileName;
    this.#entries = new ServerEntries(profileName);
    this.#groups = new GroupRows(profileName);
    this.#noticeId = `notice:${profileName}`;
  }

  get children(): readonly Row[] {
    return this.#children;
  }

  /** The servers that pass the filter, in display order. */
  get servers(): readonly ServerRow[] {
    return this.#sorted;
  }

  find(key: string): ServerRow | undefined {
    return this.#entries.find(key);
  }

  update(section: ServerSection, options: RowOptions): RowChange {
    const { arrangement, filter } = options;
    const { shown, changed } = this.#entries.update(section, filter);
    this.#sorted = this.#sort(shown, arrangement);
    const changedNotice = this.#updateNotice(section, options);
    const before = this.#children;
    const { rows, isSame } = this.#arrange(arrangement);
    this.#children = this.#notice === undefined ? rows : [this.#notice, ...rows];
    if (!isSame || !isSameList(before, this.#children) || changed.size > manyRows) return "list";
    const changedRows: readonly ServerRow[] =
      arrangement.groupBy === "none"
        ? [...changed].filter((row) => this.#isShown(row))
        : this.#groups.rowsOf(changed);
    const all = [...changedNotice, ...changedRows];
    return all.length === 0 ? "none" : all;
  }

  #isShown(row: ServerRow): boolean {
    return this.#entries.find(row.key)?.isShown ?? false;
  }

  #arrange({ groupBy }: Arrangement): { readonly rows: readonly Row[]; readonly isSame: boolean } {
    if (groupBy !== "none") {
      const { groups, isSame } = this.#groups.update(this.#sorted, groupBy);
      return { rows: groups, isSame };
    }
    this.#groups.clear();
    return { rows: this.#sorted, isSame: true };
  }

  /** Starts with the previous order: sorting a nearly sorted list costs hardly more than iterating over it. */
  #sort(shown: readonly ServerEntry[], arrangement: Arrangement): readonly ServerEntry[] {
    const hasPins = shown.some(({ mark }) => mark?.isPinned === true);
    if (arrangement.sortBy === "gateway" && !arrangement.isDescending && !hasPins) return shown;
    const present = new Set(shown);
    const known = this.#sorted.filter((entry) => present.delete(entry));
    return [...known, ...present].sort(createOrder(arrangement));
  }

  #updateNotice(section: ServerSection, { isAlone, now }: RowOptions): readonly Row[] {
    const text = noticeOf(section, this.#sorted.length, isAlone, now);
    const known = this.#notice;
    if (text === undefined) {
      this.#notice = undefined;
      return [];
    }
    if (known === undefined) {
      this.#notice = { kind: "notice", id: this.#noticeId, profileName: this.#profileName, ...text };
      return [];
    }
    const isSame = known.title === text.title && known.text === text.text;
    updateRow(known, text);
    return isSame ? [] : [known];
  }
}

type NoticeText = Pick<NoticeRow, "isFailure" | "title" | "text" | "remedies" | "scheme">;

/**
 * The notice above the servers of a profile, or in their place. If there is only one profile (`isAlone`), the welcome
 * content of the view replaces the notices of lists without servers. `now` is in milliseconds since 1970.
 */
function noticeOf(
  section: ServerSection,
  shown: number,
  isAlone: boolean,
  now: number,
): NoticeText | undefined {
  const { state, servers, error } = section.snapshot;
  const notice = sectionNotice(section);
  const isStale = error !== undefined && servers.length > 0;
  if (!isStale && (state !== "ready" || shown === 0)) {
    if (isAlone) return undefined;
    if (state === "ready") {
      return {
        isFailure: false,
        title: t("No server matches the filter"),
        text: "",
        remedies: ["clearFilter"],
      };
    }
  }
  if (notice === undefined) return undefined;
  const { isFailure, title, message, listedAt, remedies } = notice;
  const parts = [
    ...(isStale ? [t("{0} old", formatAge(listedAt === undefined ? 0 : now - listedAt))] : []),
    ...(isStale || state === "failed" ? nextTry(section) : []),
    message,
  ];
  const scheme = error?.scheme;
  return {
    ...{ isFailure, title, text: parts.filter((part) => part !== "").join(" · "), remedies },
    ...(scheme === undefined ? {} : { scheme }),
  };
}

function nextTry({ nextTryAt }: ServerSection): readonly string[] {
  return nextTryAt === undefined ? [] : [t("retrying at {0}", secondOfDay(nextTryAt))];
}
