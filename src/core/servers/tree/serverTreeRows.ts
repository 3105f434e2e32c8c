import { t } from "@vscode/l10n";
import { arrangeServers, compareGroups, groupsOf, plainArrangement } from "../arrange/groupServers.ts";
import { actionFacts, noActions, shownChange } from "../actions/profileActions.ts";
import type { Arrangement } from "../arrange/groupServers.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { createFilter } from "../filter/filterSubject.ts";
import type { Filter } from "../filter/filterSubject.ts";
import type { Server } from "../server.ts";
import { factEntry, factNames } from "../serverFacts.ts";
import { statusLabels } from "../serverLabels.ts";
import { runningCostsText, sumRunningCosts } from "../serverPrice.ts";
import { profileSpoken, serverCount, shownText } from "./rowLabels.ts";
import { countedOnce, isSameList, serverRowId, staleTime } from "./rows.ts";
import type { GroupRow, ProfileRow, RowChange, ServerRow, ServerSection, TreeRow } from "./rows.ts";
import { statusLine } from "./statusLine.ts";
import { noticeOf } from "./sectionNotice.ts";

/** If more rows than this have changed, the whole list is reported as changed: one message instead of many. */
const manyRows = 200;

/** With more servers than this, those that are stopped are folded if there are at least so many of them. */
const [longList, fewestStopped] = [8, 3];

/**
 * Turns what is known about the profiles' servers into the rows of the tree. A single profile has no root: its servers
 * are the tree. Each update builds all rows; those that represent the same as before stay the same objects, so that
 * selection and focus are preserved, and the rows that look different now are reported.
 */
export class ServerTreeRows {
  readonly #now: () => number;
  /** All rows by ID, including servers that the filter hides. */
  #rows: ReadonlyMap<string, TreeRow> = new Map();
  /** The rows of the tree, with those that they are below. */
  #parents: ReadonlyMap<TreeRow, TreeRow | undefined> = new Map();
  #roots: readonly TreeRow[] = [];
  #servers: readonly ServerRow[] = [];
  #arrangement: Arrangement = plainArrangement;
  #filter: Filter | undefined;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get roots(): readonly TreeRow[] {
    return this.#roots;
  }

  /** The servers that pass the filter, in display order. */
  get servers(): readonly ServerRow[] {
    return this.#servers;
  }

  /** The rows of servers in the tree: a server has one in each of its groups. */
  get serverRows(): readonly ServerRow[] {
    return [...this.#parents.keys()].filter((row) => row.kind === "server");
  }

  /** The server with this ID, even if the filter hides it. */
  rowOf(id: string): ServerRow | undefined {
    const row = this.#rows.get(id);
    return row?.kind === "server" ? row : undefined;
  }

  find(profileName: string, key: string): ServerRow | undefined {
    return this.rowOf(serverRowId(profileName, key));
  }

  parentOf(row: TreeRow): TreeRow | undefined {
    return this.#parents.get(row);
  }

  /** Shows these profiles in this order. */
  update(sections: readonly ServerSection[], arrangement: Arrangement): RowChange {
    if (arrangement.filter !== this.#arrangement.filter) this.#filter = createFilter(arrangement.filter);
    this.#arrangement = arrangement;
    const builder = new RowBuilder(this.#rows, arrangement, this.#filter, this.#now());
    const isAlone = sections.length <= 1;
    const roots = sections.flatMap((section) => builder.section(section, isAlone));
    const isSame = isSameList(roots, this.#roots);
    this.#rows = builder.rows;
    this.#roots = roots;
    this.#servers = builder.shown;
    const parents = new Map<TreeRow, TreeRow | undefined>();
    const changed = new Set<TreeRow>();
    const visit = (row: TreeRow, parent: TreeRow | undefined): void => {
      parents.set(row, parent);
      // What is below a changed row is redrawn with it.
      if (builder.changed.has(row) && (parent === undefined || !changed.has(parent))) changed.add(row);
      for (const child of childrenOf(row)) visit(child, row);
    };
    for (const root of roots) visit(root, undefined);
    this.#parents = parents;
    if (!isSame || changed.size > manyRows) return "list";
    return changed.size === 0 ? "none" : [...changed];
  }
}

/** The rows directly below a row. */
export function childrenOf(row: TreeRow): readonly TreeRow[] {
  return row.kind === "profile" ? row.children : row.kind === "group" ? row.rows : [];
}

/** Builds the rows of one update. */
class RowBuilder {
  readonly rows = new Map<string, TreeRow>();
  readonly shown: ServerRow[] = [];
  readonly changed = new Set<TreeRow>();
  readonly #before: ReadonlyMap<string, TreeRow>;
  readonly #arrangement: Arrangement;
  readonly #filter: Filter | undefined;
  readonly #now: number;

  constructor(
    before: ReadonlyMap<string, TreeRow>,
    arrangement: Arrangement,
    filter: Filter | undefined,
    now: number,
  ) {
    this.#before = before;
    this.#arrangement = arrangement;
    this.#filter = filter;
    this.#now = now;
  }

  /** The root of a profile, or what would be below it if the profile is alone. */
  section(section: ServerSection, isAlone: boolean): readonly TreeRow[] {
    const { profileName, snapshot, marks, actions = noActions } = section;
    const staleSince = staleTime(section);
    const times = { listedAt: snapshot.listedAt ?? this.#now, now: this.#now };
    const isLive = this.#isLive(profileName);
    const all = snapshot.servers.map((server) => {
      const { key } = server;
      const id = serverRowId(profileName, key);
      const before = this.#before.get(id);
      const isOther = before?.kind !== "server" || before.server.status !== server.status;
      const changedAt = isOther ? (isLive ? times.listedAt : undefined) : before.changedAt;
      return this.#keep<ServerRow>({
        kind: "server",
        id,
        key,
        profileName,
        server,
        mark: marks.get(key),
        change: shownChange(actions, server, this.#now),
        actionFacts: actionFacts(actions, server, this.#now),
        status: statusLine(server, { ...times, changedAt }),
        changedAt,
        staleSince,
      });
    });
    const passes = this.#filter;
    const shown =
      passes === undefined ? all : all.filter((row) => passes({ ...row, isStale: staleSince !== undefined }));
    const servers = arrangeServers(shown, this.#arrangement, this.#now);
    this.shown.push(...servers);
    const notice = noticeOf(section, servers.length, isAlone, this.#now);
    const rows = this.#groups(profileName, servers);
    const children = notice === undefined ? rows : [this.#keep(notice), ...rows];
    if (isAlone) return children;
    // VS Code keeps a row folded by its ID, and what becomes the active profile is to be unfolded.
    const id = JSON.stringify(["profile", section.isActive, profileName]);
    return [this.#keep<ProfileRow>({ kind: "profile", id, section, shown: servers.length, children })];
  }

  /** Whether the rows before show a list that was up to date: what differs from it has just changed. */
  #isLive(profileName: string): boolean {
    for (const row of this.#before.values())
      if (row.kind === "server" && row.profileName === profileName) return row.staleSince === undefined;
    return false;
  }

  #groups(profileName: string, servers: readonly ServerRow[]): readonly (ServerRow | GroupRow)[] {
    const grouping = this.#arrangement.groupBy;
    if (grouping === "none") return servers;
    if (grouping === "stopped") return this.#foldStopped(profileName, servers);
    const groups = new Map<string, GroupRow & { readonly rows: ServerRow[] }>();
    for (const row of servers) {
      const names = groupsOf(row.server, grouping);
      for (const name of names) {
        const id = `group:${profileName}:${grouping}:${name.key}`;
        const group = groups.get(id) ?? { kind: "group" as const, id, grouping, name, text: "", rows: [] };
        groups.set(id, group);
        // A server with several tags has a separate row in each of their groups.
        group.rows.push(names.length > 1 ? this.#keep<ServerRow>({ ...row, id: `${id}/${row.id}` }) : row);
      }
    }
    return [...groups.values()]
      .toSorted((first, second) => compareGroups(grouping, first.name, second.name))
      .map((group) => this.#keep<GroupRow>({ ...group, text: String(group.rows.length) }));
  }

  /** A long list ends with a group of its stopped servers, without those that are pinned or that an action is about. */
  #foldStopped(profileName: string, servers: readonly ServerRow[]): readonly (ServerRow | GroupRow)[] {
    const isFolded = ({ server, mark, change }: ServerRow): boolean =>
      server.status === "stopped" && mark?.isPinned !== true && change === undefined;
    const rows = servers.filter(isFolded);
    // Whoever filters wants to see what matches.
    const isShort = servers.length <= longList || rows.length < fewestStopped;
    if (isShort || this.#filter !== undefined) return servers;
    const label = `${statusLabels.stopped()} (${formatNumber(rows.length)})`;
    const stopped = rows.map(({ server }) => server);
    const text =
      runningCostsText(stopped) || (sumRunningCosts(stopped).unclear > 0 ? t("may still cost") : "");
    const [id, name] = [`group:${profileName}:stopped`, { key: "stopped", label }];
    const group = this.#keep<GroupRow>({ kind: "group", id, grouping: "stopped", name, text, rows });
    return [...servers.filter((row) => !isFolded(row)), group];
  }

  /** The row of an earlier update that represents the same, with what is known now. */
  #keep<R extends TreeRow>(row: R): R {
    const known = this.#before.get(row.id);
    if (known === undefined) {
      this.rows.set(row.id, row);
      return row;
    }
    const looksSame = isSameRow(known, row);
    const kept = Object.assign(known, row);
    if (!looksSame) this.changed.add(kept);
    this.rows.set(row.id, kept);
    return kept;
  }
}

function isSameRow(first: TreeRow, second: TreeRow): boolean {
  if (first.kind === "server" && second.kind === "server")
    return (
      first.mark === second.mark &&
      first.staleSince === second.staleSince &&
      first.change?.text === second.change?.text &&
      isSameList(first.actionFacts ?? [], second.actionFacts ?? []) &&
      first.status === second.status &&
      (first.server === second.server || isSameServer(first.server, second.server))
    );
  if (first.kind === "notice" && second.kind === "notice")
    return first.title === second.title && first.text === second.text;
  if (first.kind === "group" && second.kind === "group" && first.text !== second.text) return false;
  if (first.kind === "profile" && second.kind === "profile" && !isSameRoot(first, second)) return false;
  return isSameList(childrenOf(first), childrenOf(second));
}

/** Whether two versions of one server look the same in a row; their records may differ. */
function isSameServer(first: Server, second: Server): boolean {
  return (
    first.status === second.status &&
    first.isPrivateAddress === second.isPrivateAddress &&
    factNames.every((name) => factEntry(name).shown === "never" || first[name]?.value === second[name]?.value)
  );
}

/** What a profile's root shows. */
function isSameRoot(first: ProfileRow, second: ProfileRow): boolean {
  return first.section.color === second.section.color && profileSpoken(first) === profileSpoken(second);
}

/** The text next to the view's title: the number of servers, how many of them are shown, and the age of the rows. */
export function serversViewDescription(
  sections: readonly ServerSection[],
  shown: number,
  filter: string,
): string {
  if (sections.every(({ snapshot }) => snapshot.servers.length === 0)) return "";
  const all = serverCount(sections.map(({ snapshot }) => snapshot));
  // If there are several profiles, what applies to only one of them is shown at its root.
  const only = sections.length === 1 ? sections[0] : undefined;
  const staleSince = only === undefined ? undefined : staleTime(only);
  const parts = [
    only?.isProduction === true ? t("Production") : "",
    shownText(shown, all),
    runningCostsText(countedOnce(sections).flatMap(({ snapshot }) => snapshot.servers)),
    filter,
    staleSince === undefined ? "" : t("as of {0}", staleSince),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}
