import type { Server } from "../server.ts";
import { ageInWords, timeOfDay } from "./age.ts";
import { isSameServer } from "./sameServer.ts";
import type { ServerListSnapshot } from "./serverListState.ts";

/** A row of the tree. It stays the same object over refreshes, so that selection and focus stay where they are. */
export interface ServerRow {
  readonly kind: "server";
  readonly key: string;
  readonly server: Server;
  /** The time of day of what the row shows, where a later refresh failed. */
  readonly staleSince: string | undefined;
}

/** Tells above the rows why they are old. */
export interface NoticeRow {
  readonly kind: "notice";
  readonly message: string;
  /** How old the rows below are, in words. */
  readonly age: string;
}

export type Row = ServerRow | NoticeRow;

/** What a refresh changed: nothing that shows, some rows, or the list itself. */
export type RowChange = "none" | "list" | readonly Row[];

/** More changed rows than this are told as a change of the list: one message instead of many. */
const manyRows = 200;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Turns snapshots into rows that stay the same objects as long as they mean the same servers. */
export class ServerRows {
  readonly #now: () => number;
  readonly #byKey = new Map<string, Writable<ServerRow>>();
  #rows: readonly ServerRow[] = [];
  #notice: Writable<NoticeRow> | undefined;

  /** `now` gives milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In the order of the gateway, the notice first. */
  get all(): readonly Row[] {
    return this.#notice === undefined ? this.#rows : [this.#notice, ...this.#rows];
  }

  get servers(): readonly ServerRow[] {
    return this.#rows;
  }

  /** Undefined where the list has no such server any more. */
  find(key: string): ServerRow | undefined {
    return this.#byKey.get(key);
  }

  update(snapshot: ServerListSnapshot): RowChange {
    const hadNotice = this.#notice !== undefined;
    const changed: Row[] = this.#updateNotice(snapshot);
    const isNoticed = this.#notice !== undefined;
    const staleSince =
      isNoticed && snapshot.listedAt !== undefined ? timeOfDay(snapshot.listedAt) : undefined;
    const before = this.#rows;
    this.#rows = snapshot.servers.map((server) => this.#updateRow(server, staleSince, changed));
    this.#forgetOthers();
    const isSameOrder =
      before.length === this.#rows.length && this.#rows.every((row, i) => row === before[i]);
    if (hadNotice !== isNoticed || !isSameOrder || changed.length > manyRows) return "list";
    return changed.length === 0 ? "none" : changed;
  }

  #updateRow(server: Server, staleSince: string | undefined, changed: Row[]): ServerRow {
    const known = this.#byKey.get(server.key);
    if (known === undefined) {
      const row: Writable<ServerRow> = { kind: "server", key: server.key, server, staleSince };
      this.#byKey.set(server.key, row);
      return row;
    }
    const isSame = known.staleSince === staleSince && isSameServer(known.server, server);
    known.server = server;
    known.staleSince = staleSince;
    if (!isSame) changed.push(known);
    return known;
  }

  #forgetOthers(): void {
    if (this.#byKey.size === this.#rows.length) return;
    const kept = new Set(this.#rows.map(({ key }) => key));
    for (const key of this.#byKey.keys()) if (!kept.has(key)) this.#byKey.delete(key);
  }

  /** Only rows that are there can be old: without them the welcome content tells of the failure. */
  #updateNotice({ error, servers, listedAt }: ServerListSnapshot): Row[] {
    if (error === undefined || servers.length === 0) {
      this.#notice = undefined;
      return [];
    }
    const { message } = error;
    const age = ageInWords(listedAt === undefined ? 0 : this.#now() - listedAt);
    const known = this.#notice;
    if (known === undefined) {
      this.#notice = { kind: "notice", message, age };
      return [];
    }
    const isSame = known.message === message && known.age === age;
    known.message = message;
    known.age = age;
    return isSame ? [] : [known];
  }
}
