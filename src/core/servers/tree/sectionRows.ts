import { t } from "@vscode/l10n";
import { localGatewayProfileName } from "../../account/localGateway/localGateway.ts";
import { remediesFor } from "../../account/remedies.ts";
import type { RemedyBy } from "../../account/remedies.ts";
import { formatAge, secondOfDay } from "../../kernel/formatTime.ts";
import { arrangeServers, compareGroups, groupsOf } from "../arrange/groupServers.ts";
import type { Arrangement } from "../arrange/groupServers.ts";
import type { Filter } from "../filter/filterSubject.ts";
import type { GroupName } from "../serverFacts.ts";
import { partialText } from "./rowLabels.ts";
import { isSameList, manyRows, updateRow } from "./rows.ts";
import type { GroupRow, NoticeRow, TreeRow, RowChange, ServerRow, ServerSection } from "./rows.ts";
import { ServerEntries } from "./serverEntries.ts";
import type { ServerEntry } from "./serverEntries.ts";

/** The groups of one profile as rows; a row stays the same object as long as it represents the same group. */
class GroupRows {
  readonly #profileName: string;
  readonly #groups = new Map<string, GroupRow>();
  /** A server with several tags has a separate row in each of their groups. */
  readonly #copies = new Map<string, ServerRow>();

  constructor(profileName: string) {
    this.#profileName = profileName;
  }

  /** Puts the rows into their groups. `isSame` means that each group has the same rows as before. */
  update(
    rows: readonly ServerRow[],
    grouping: string,
  ): { readonly groups: readonly GroupRow[]; readonly isSame: boolean } {
    const names = new Map<string, GroupName>();
    const members = new Map<string, ServerRow[]>();
    for (const row of rows) {
      for (const name of groupsOf(row.server, grouping)) {
        const id = `group:${this.#profileName}:${grouping}:${name.key}`;
        const list = members.get(id) ?? [];
        if (list.length === 0) members.set(id, list);
        names.set(id, name);
        list.push(grouping === "tag" ? this.#copy(row, id) : row);
      }
    }
    let isSame = members.size === this.#groups.size;
    for (const id of this.#groups.keys()) if (!members.has(id)) this.#groups.delete(id);
    for (const [id, list] of members) {
      const name = names.get(id) ?? { key: "", label: "" };
      const group = this.#groups.get(id);
      if (group === undefined) this.#groups.set(id, { kind: "group", id, grouping, name, rows: list });
      isSame &&= group !== undefined && isSameList(group.rows, list);
      if (group !== undefined) updateRow(group, { rows: list, name });
    }
    const groups = [...this.#groups.values()].toSorted((first, second) =>
      compareGroups(grouping, first.name, second.name),
    );
    return { groups, isSame };
  }

  /** The rows that show these servers. */
  rowsOf(changed: ReadonlySet<ServerRow>): readonly ServerRow[] {
    const keys = new Set([...changed].map(({ key }) => key));
    return [...this.#groups.values()].flatMap(({ rows }) => rows.filter(({ key }) => keys.has(key)));
  }

  clear(): void {
    this.#groups.clear();
    this.#copies.clear();
  }

  #copy(row: ServerRow, group: string): ServerRow {
    const id = `${group}/${row.id}`;
    const known = this.#copies.get(id);
    if (known === undefined) {
      const copy = { ...row, id };
      this.#copies.set(id, copy);
      return copy;
    }
    const { server, mark, staleSince } = row;
    return updateRow(known, { server, mark, staleSince });
  }
}

/** How rows are shown, in addition to what they show. */
interface RowOptions {
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
  #children: readonly TreeRow[] = [];
  #sorted: readonly ServerEntry[] = [];

  constructor(profileName: string) {
    this.#profileName = profileName;
    this.#entries = new ServerEntries(profileName);
    this.#groups = new GroupRows(profileName);
    this.#noticeId = `notice:${profileName}`;
  }

  get children(): readonly TreeRow[] {
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
    this.#sorted = arrangeServers(shown, arrangement, options.now);
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

  #arrange({ groupBy }: Arrangement): { readonly rows: readonly TreeRow[]; readonly isSame: boolean } {
    if (groupBy !== "none") {
      const { groups, isSame } = this.#groups.update(this.#sorted, groupBy);
      return { rows: groups, isSame };
    }
    this.#groups.clear();
    return { rows: this.#sorted, isSame: true };
  }

  #updateNotice(section: ServerSection, { isAlone, now }: RowOptions): readonly TreeRow[] {
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

/** A problem with the list of a profile, and what fixes it; the same in the tree and in the table. */
interface SectionNotice {
  readonly isFailure: boolean;
  readonly title: string;
  /** A sentence; may be empty. */
  readonly message: string;
  /** When the servers that are still shown were received, in milliseconds since 1970. */
  readonly listedAt?: number;
  /** The most useful come first. */
  readonly remedies: readonly RemedyBy<"anywhere" | "servers">[];
}

/** Undefined if the list is complete and up to date. */
export function sectionNotice({ profileName, snapshot }: ServerSection): SectionNotice | undefined {
  const { state, error, servers, listedAt } = snapshot;
  const message = error?.message ?? "";
  const isFailure = error !== undefined;
  const isStopped = profileName === localGatewayProfileName && error?.reason === "unreachable";
  const fixes = error === undefined ? [] : remediesFor(error, "servers");
  const remedies = isStopped ? (["startLocalGateway", ...fixes] as const) : fixes;
  if (isFailure && servers.length > 0) {
    const age = listedAt === undefined ? {} : { listedAt };
    return { isFailure, title: t("Couldn't refresh"), message, remedies, ...age };
  }
  switch (state) {
    case "signedOut":
      return profileName === ""
        ? {
            isFailure,
            title: t("There is no profile yet"),
            message,
            remedies: ["addProfile", "startLocalGateway"],
          }
        : { isFailure: true, title: t("Not signed in"), message, remedies: fixes };
    case "failed":
      return { isFailure: true, title: t("Couldn't list the servers"), message, remedies };
    case "empty":
      return { isFailure, title: t("No servers"), message, remedies: ["refresh"] };
    case "loading":
      return { isFailure, title: t("Listing the servers…"), message, remedies: [] };
    case "ready": {
      const partial = partialText(snapshot);
      if (partial === undefined) return undefined;
      return { isFailure, title: t("Incomplete list"), message: partial, remedies: ["openProfiles"] };
    }
  }
}
