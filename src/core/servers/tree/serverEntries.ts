import { timeOfDay } from "../../kernel/formatTime.ts";
import type { Filter } from "../filter/filterSubject.ts";
import type { Server } from "../server.ts";
import { factEntry, factNames } from "../serverFacts.ts";
import { updateRow } from "./rows.ts";
import type { ServerSection, ServerRow } from "./rows.ts";

/** A server of the list, whether visible or not; the row is the entry itself. */
export interface ServerEntry extends ServerRow {
  /** Position in the gateway's order. */
  readonly position: number;
  readonly isShown: boolean;
}

interface FilteredEntry extends ServerEntry {
  readonly filterVersion: Filter | undefined;
}

/** The result of a refresh for the servers of one profile. */
interface EntryUpdate {
  /** The servers that pass the filter, in the order of the gateway. */
  readonly shown: readonly ServerEntry[];
  /** Those that look different now. */
  readonly changed: ReadonlySet<ServerRow>;
}

/** The servers of one profile as entries; an entry stays the same object as long as it represents the same server. */
export class ServerEntries {
  readonly #profileName: string;
  /** The common part of the rows' IDs, so that each of them takes less memory. */
  readonly #idPrefix: string;
  readonly #byKey = new Map<string, FilteredEntry>();

  constructor(profileName: string) {
    this.#profileName = profileName;
    this.#idPrefix = `server:${profileName}:`;
  }

  /** Undefined if the list no longer contains such a server. */
  find(key: string): ServerEntry | undefined {
    return this.#byKey.get(key);
  }

  update(section: ServerSection, filter: Filter | undefined): EntryUpdate {
    const { servers } = section.snapshot;
    const staleSince = staleTime(section);
    const changed = new Set<ServerRow>();
    const shown: ServerEntry[] = [];
    for (let position = 0; position < servers.length; position++) {
      const server = servers[position];
      if (server === undefined) continue;
      const { key } = server;
      const mark = section.marks.get(key);
      const entry = this.#byKey.get(key);
      if (entry === undefined) {
        const created = this.#create(server, { mark, staleSince, position, filter });
        // A first list has nothing to redraw but itself, and may be very long.
        if (staleSince !== undefined || mark !== undefined) changed.add(created);
        if (created.isShown) shown.push(created);
        continue;
      }
      const isNewRecord = entry.server !== server || entry.mark !== mark;
      const isStaleNow = entry.staleSince !== staleSince;
      if (!isNewRecord && !isStaleNow && entry.position === position && entry.filterVersion === filter) {
        if (entry.isShown) shown.push(entry);
        continue;
      }
      if (isStaleNow || (isNewRecord && (entry.mark !== mark || !isSameServer(entry.server, server)))) {
        changed.add(entry);
      }
      updateRow(entry, { server, mark, staleSince, position });
      if (isNewRecord || isStaleNow || entry.filterVersion !== filter) {
        updateRow(entry, {
          filterVersion: filter,
          isShown: filter === undefined || passes(entry, filter),
        });
      }
      if (entry.isShown) shown.push(entry);
    }
    this.#forgetOthers(servers);
    return { shown, changed };
  }

  #create(
    server: Server,
    {
      mark,
      staleSince,
      position,
      filter,
    }: Pick<ServerEntry, "mark" | "staleSince" | "position"> & {
      readonly filter: Filter | undefined;
    },
  ): FilteredEntry {
    const { key } = server;
    const profileName = this.#profileName;
    const entry: FilteredEntry = {
      kind: "server",
      id: this.#idPrefix + key,
      key,
      profileName,
      server,
      mark,
      staleSince,
      position,
      isShown: filter === undefined || passes({ server, mark, profileName, staleSince }, filter),
      filterVersion: filter,
    };
    this.#byKey.set(key, entry);
    return entry;
  }

  #forgetOthers(servers: readonly ServerRow["server"][]): void {
    if (this.#byKey.size === servers.length) return;
    const kept = new Set(servers.map(({ key }) => key));
    for (const key of this.#byKey.keys()) if (!kept.has(key)) this.#byKey.delete(key);
  }
}

/** The time of day of the list if it is old. */
function staleTime({ snapshot: { error, listedAt, isRestored } }: ServerSection): string | undefined {
  const isOld = error !== undefined || isRestored === true;
  return isOld && listedAt !== undefined ? timeOfDay(listedAt) : undefined;
}

function passes(
  {
    server,
    mark,
    profileName,
    staleSince,
  }: Pick<ServerRow, "server" | "mark" | "profileName" | "staleSince">,
  filter: Filter,
): boolean {
  return filter({ server, mark, profileName, isStale: staleSince !== undefined });
}

/** Whether two versions of one server look the same in a row; their records may differ. */
function isSameServer(first: Server, second: Server): boolean {
  return (
    first.key === second.key &&
    first.status === second.status &&
    first.isPrivateAddress === second.isPrivateAddress &&
    factNames.every((name) => factEntry(name).shown === "never" || first[name]?.value === second[name]?.value)
  );
}
