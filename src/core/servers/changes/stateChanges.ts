import type { ServerStatus } from "../../server.ts";
import type { ServerMark } from "../marks/serverMark.ts";
import type { FleetSection } from "../tree/rows.ts";
import type { Server } from "../../server.ts";

/** A server whose state is another one than at the last look. */
export interface StateChange {
  readonly profileName: string;
  readonly server: Server;
  readonly mark: ServerMark | undefined;
  readonly before: ServerStatus;
}

/** Compares each list of a profile with the one before; what came or went between two lists is no change of state. */
export class StateChanges {
  readonly #known = new Map<string, ReadonlyMap<string, ServerStatus>>();

  /** The changes since the last good list of this profile; none for the first one and for a failure. */
  read({ profileName, snapshot, marks }: FleetSection): readonly StateChange[] {
    if (snapshot.state === "loading" || snapshot.state === "signedOut") this.#known.delete(profileName);
    if (snapshot.isRefreshing || snapshot.error !== undefined || snapshot.isRestored === true) return [];
    if (snapshot.listedAt === undefined) return [];
    const before = this.#known.get(profileName);
    this.#known.set(profileName, new Map(snapshot.servers.map(({ key, status }) => [key, status])));
    if (before === undefined) return [];
    return snapshot.servers.flatMap((server) => {
      const was = before.get(server.key);
      const mark = marks.get(server.key);
      const isTold = was !== undefined && was !== server.status && mark?.isMuted !== true;
      return isTold ? [{ profileName, server, mark, before: was }] : [];
    });
  }
}

/** Whether a change is one that the user has to hear of: a failure. */
export function isFailure({ server }: StateChange): boolean {
  return server.status === "error";
}

/** Servers that failed and that nobody has looked at since. */
export class UnseenFailures {
  readonly #keys = new Set<string>();

  get count(): number {
    return this.#keys.size;
  }

  /** What fails is counted once; what has recovered is not counted any more. */
  add(changes: readonly StateChange[]): void {
    for (const change of changes) {
      const key = `${change.profileName}\n${change.server.key}`;
      if (isFailure(change)) this.#keys.add(key);
      else this.#keys.delete(key);
    }
  }

  clear(): void {
    this.#keys.clear();
  }
}
