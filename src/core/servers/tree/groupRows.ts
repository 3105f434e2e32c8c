import type { Grouping } from "../arrange/arrangement.ts";
import type { GroupName } from "../arrange/groupServers.ts";
import { compareGroups, groupsOf } from "../arrange/groupServers.ts";
import { updateRow } from "./rows.ts";
import type { GroupRow, ServerRow } from "./rows.ts";

/** The groups of one profile as rows; a row stays the same object as long as it represents the same group. */
export class GroupRows {
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
    grouping: Exclude<Grouping, "none">,
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
    const compare = compareGroups(grouping);
    const groups = [...this.#groups.values()].toSorted((first, second) => compare(first.name, second.name));
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

export function isSameList<T>(first: readonly T[], second: readonly T[]): boolean {
  return first.length === second.length && first.every((item, index) => item === second[index]);
}
