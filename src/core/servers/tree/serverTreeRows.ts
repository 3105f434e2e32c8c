import { t } from "@vscode/l10n";
import { timeOfDay } from "../../kernel/formatTime.ts";
import { plainArrangement } from "../arrange/groupServers.ts";
import type { Arrangement } from "../arrange/groupServers.ts";
import { createFilter } from "../filter/filterSubject.ts";
import type { Filter } from "../filter/filterSubject.ts";
import { pageNames, serverCount, shownText } from "./rowLabels.ts";
import { manyRows, updateRow } from "./rows.ts";
import type { GroupRow, PageRow, ProfileRow, TreeRow, RowChange, ServerRow, ServerSection } from "./rows.ts";
import { SectionRows } from "./sectionRows.ts";

/** VS Code requests the items of all rows below an open one at once, which takes too long for more than these. */
const mostBelow = 2_000;
const rowsPerPage = 1_000;

/** Divides very many rows below one into pages, which stay the same objects. */
class RowPages {
  readonly #pages = new Map<string, readonly PageRow[]>();

  /** A notice stays above the pages. */
  divide(owner: GroupRow | ProfileRow, rows: readonly TreeRow[]): readonly TreeRow[] {
    if (rows.length <= mostBelow) {
      this.#pages.delete(owner.id);
      return rows;
    }
    const known = this.#pages.get(owner.id) ?? [];
    const notices = rows[0]?.kind === "notice" ? 1 : 0;
    const pages: PageRow[] = [];
    for (let start = 0; start < rows.length - notices; start += rowsPerPage) {
      const page = rows.slice(start + notices, start + notices + rowsPerPage);
      const before = known[pages.length];
      // Several groups are open at the same time.
      const isOpen = start === 0 && owner.kind === "profile";
      const id = `page:${owner.id}:${start}`;
      pages.push(
        before === undefined
          ? { kind: "page", id, start, isOpen, names: pageNames(page), rows: page }
          : updateRow(before, { names: pageNames(page), rows: page }),
      );
    }
    this.#pages.set(owner.id, pages);
    return [...rows.slice(0, notices), ...pages];
  }

  /** Updates the names on the pages, and returns those whose first or last row has another name now. */
  rename(): readonly PageRow[] {
    const renamed = [...this.#pages.values()].flat().filter(({ names, rows }) => names !== pageNames(rows));
    return renamed.map((page) => updateRow(page, { names: pageNames(page.rows) }));
  }

  /** Forgets the pages of profiles that no longer exist. */
  clear(): void {
    this.#pages.clear();
  }
}

interface Shown {
  readonly rows: SectionRows;
  readonly root: ProfileRow;
}

/**
 * Turns what is known about the profiles' servers into the rows of the tree. A single profile has no root: its servers
 * are the tree. Rows stay the same objects, and each update lists those that have to be redrawn.
 */
export class ServerTreeRows {
  readonly #now: () => number;
  readonly #shown = new Map<string, Shown>();
  readonly #pages = new RowPages();
  #arrangement: Arrangement = plainArrangement;
  #filter: Filter | undefined;
  #isAlone = true;

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get roots(): readonly TreeRow[] {
    const roots = [...this.#shown.values()].map(({ root }) => root);
    return this.#isAlone ? roots.flatMap((root) => this.childrenOf(root)) : roots;
  }

  /** The servers that pass the filter. */
  get servers(): readonly ServerRow[] {
    return [...this.#shown.values()].flatMap(({ rows }) => rows.servers);
  }

  find(profileName: string, key: string): ServerRow | undefined {
    return this.#shown.get(profileName)?.rows.find(key);
  }

  childrenOf(row: TreeRow): readonly TreeRow[] {
    switch (row.kind) {
      case "profile":
        return this.#pages.divide(row, row.children);
      case "group":
        return this.#pages.divide(row, row.rows);
      case "page":
        return row.rows;
      case "server":
      case "notice":
        return [];
    }
  }

  parentOf(row: TreeRow): TreeRow | undefined {
    for (const { root, rows } of this.#shown.values()) {
      const groups = rows.children.filter((child) => child.kind === "group");
      for (const owner of [root, ...groups]) {
        const below = this.childrenOf(owner);
        if (below.includes(row)) return owner === root && this.#isAlone ? undefined : owner;
        const page = below.find((child) => child.kind === "page" && child.rows.includes(row));
        if (page !== undefined) return page;
      }
    }
    return undefined;
  }

  /** Shows these profiles in this order. */
  update(sections: readonly ServerSection[], arrangement: Arrangement): RowChange {
    if (arrangement.filter !== this.#arrangement.filter) this.#filter = createFilter(arrangement.filter);
    this.#arrangement = arrangement;
    const wasAlone = this.#isAlone;
    this.#isAlone = sections.length <= 1;
    const isSameOrder = this.#keepOnly(sections);
    const changes = sections.map((section) => this.#updateSection(section));
    const renamed = this.#pages.rename();
    if (wasAlone !== this.#isAlone || !isSameOrder) return "list";
    const rows = new Set<TreeRow>(renamed);
    for (const { change, root } of changes) {
      if (change === "list" && this.#isAlone) return "list";
      if (change === "list") rows.add(root);
      else if (change !== "none") for (const row of change) rows.add(row);
    }
    if (rows.size > manyRows) return "list";
    return rows.size === 0 ? "none" : [...rows].filter((row) => !this.#isBelow(row, rows));
  }

  #updateSection(section: ServerSection): { readonly change: RowChange; readonly root: TreeRow } {
    const { rows, root } = this.#shown.get(section.profileName) ?? createShown(section);
    const options = {
      arrangement: this.#arrangement,
      filter: this.#filter,
      isAlone: this.#isAlone,
      now: this.#now(),
    };
    const change = rows.update(section, options);
    const shown = rows.servers.length;
    const looksSame = root.shown === shown && isSameRoot(root.section, section);
    updateRow(root, { section, shown, children: rows.children });
    return { change: !looksSame && !this.#isAlone ? "list" : change, root };
  }

  /**
   * Removes profiles that no longer exist; returns whether the remaining ones are the same and in the same order as
   * before.
   */
  #keepOnly(sections: readonly ServerSection[]): boolean {
    const before = [...this.#shown.keys()];
    const isSame =
      before.length === sections.length &&
      sections.every(({ profileName }, index) => profileName === before[index]);
    if (isSame) return true;
    const known = new Map(this.#shown);
    this.#shown.clear();
    this.#pages.clear();
    for (const section of sections) {
      const { profileName } = section;
      this.#shown.set(profileName, known.get(profileName) ?? createShown(section));
    }
    return false;
  }

  /** A root is redrawn with everything below it. */
  #isBelow(row: TreeRow, rows: ReadonlySet<TreeRow>): boolean {
    if (row.kind !== "server" && row.kind !== "notice") return false;
    const root = this.#shown.get(row.profileName)?.root;
    return root !== undefined && rows.has(root);
  }
}

function createShown(section: ServerSection): Shown {
  const { profileName } = section;
  return {
    rows: new SectionRows(profileName),
    root: { kind: "profile", id: `profile:${profileName}`, section, shown: 0, children: [] },
  };
}

/** Whether two versions of a profile look the same in its root. */
function isSameRoot(first: ServerSection, second: ServerSection): boolean {
  return (
    first.isActive === second.isActive &&
    first.isProduction === second.isProduction &&
    first.color === second.color &&
    first.host === second.host &&
    first.snapshot.state === second.snapshot.state &&
    first.snapshot.servers.length === second.snapshot.servers.length &&
    first.snapshot.total === second.snapshot.total &&
    first.snapshot.hasMore === second.snapshot.hasMore &&
    first.snapshot.incomplete === second.snapshot.incomplete &&
    first.snapshot.error?.message === second.snapshot.error?.message
  );
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
  const parts = [
    only?.isProduction === true ? t("Production") : "",
    shownText(shown, all),
    filter,
    only === undefined ? "" : ageText(only),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function ageText({ snapshot: { error, listedAt, isRestored } }: ServerSection): string {
  const isOld = error !== undefined || isRestored === true;
  return isOld && listedAt !== undefined ? t("as of {0}", timeOfDay(listedAt)) : "";
}
