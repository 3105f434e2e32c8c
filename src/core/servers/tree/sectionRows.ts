import { t } from "@vscode/l10n";
import { formatAge, secondOfDay } from "../../kernel/age.ts";
import type { Arrangement } from "../arrange/arrangement.ts";
import { createOrder } from "../arrange/sortServers.ts";
import type { Filter } from "../filter/matchFilter.ts";
import { GroupRows, isSameList } from "./groupRows.ts";
import { partialText } from "./rowLabels.ts";
import { manyRows } from "./rows.ts";
import type { ServerSection, NoticeRow, Row, RowChange, ServerRow } from "./rows.ts";
import { ServerEntries } from "./serverEntries.ts";
import type { ServerEntry } from "./serverEntries.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** How rows are shown, beside what they show. */
export interface RowOptions {
  readonly arrangement: Arrangement;
  readonly filter: Filter | undefined;
  /** Whether the profile is the only one in the tree. */
  readonly isAlone: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The rows of one profile: a notice where something is the matter, then servers or groups of them. */
export class SectionRows {
  readonly #entries: ServerEntries;
  readonly #groups: GroupRows;
  readonly #noticeId: string;
  readonly #profileName: string;
  #notice: Writable<NoticeRow> | undefined;
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

  /** The servers that the filter leaves, in the order in which they are shown. */
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

  /** Begins with the order of before: sorting what is nearly in order costs hardly more than a look at it. */
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
    Object.assign(known, text);
    return isSame ? [] : [known];
  }
}

type NoticeText = Pick<NoticeRow, "isFailure" | "title" | "text" | "credential">;

/**
 * What stands above the servers of a profile, or in their place. Where a profile is alone (`isAlone`) the welcome
 * content of the view tells of lists without servers. `now` is in milliseconds since 1970.
 */
function noticeOf(
  section: ServerSection,
  shown: number,
  isAlone: boolean,
  now: number,
): NoticeText | undefined {
  const { state, servers, error, listedAt } = section.snapshot;
  if (error !== undefined && servers.length > 0) {
    const age = formatAge(listedAt === undefined ? 0 : now - listedAt);
    return failure(t("Could not refresh"), [t("{0} old", age), ...nextTry(section), error.message]);
  }
  const partial = partialText(section.snapshot);
  if (partial !== undefined && shown > 0) return partialNotice(partial);
  if (isAlone) return undefined;
  switch (state) {
    case "signedOut":
      return { ...failure(t("Not signed in"), [error?.message ?? ""]), credential: error?.credential };
    case "failed":
      return failure(t("Could not list the servers"), [...nextTry(section), error?.message ?? ""]);
    case "empty":
      return { isFailure: false, title: t("No servers"), text: "", credential: undefined };
    case "loading":
      return { isFailure: false, title: t("Listing the servers…"), text: "", credential: undefined };
    case "ready":
      return shown > 0
        ? undefined
        : { isFailure: false, title: t("No server matches the filter"), text: "", credential: undefined };
  }
}

function partialNotice(text: string): NoticeText {
  return { isFailure: false, title: t("Incomplete list"), text, credential: undefined };
}

function failure(title: string, parts: readonly string[]): NoticeText {
  return {
    isFailure: true,
    title,
    text: parts.filter((part) => part !== "").join(" · "),
    credential: undefined,
  };
}

function nextTry({ nextTryAt }: ServerSection): readonly string[] {
  return nextTryAt === undefined ? [] : [t("retrying at {0}", secondOfDay(nextTryAt))];
}
