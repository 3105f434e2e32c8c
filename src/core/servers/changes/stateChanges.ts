import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatNumber, shortList } from "../../kernel/formatTime.ts";
import type { ServerAnnotation } from "../marks/serverAnnotation.ts";
import type { Server, ServerStatus } from "../server.ts";
import { serverName, statusLabels } from "../serverLabels.ts";
import { serverRowId } from "../tree/rows.ts";
import type { ServerSection } from "../tree/rows.ts";

const maxNamed = 3;

/** Describes a change: `trainer-07: Starting → Running`. */
export function changeText({ server, before }: StateChange): string {
  const name = sanitizeLabel(serverName(server), 60);
  return t("{0}: {1} → {2}", name, statusLabels[before](), statusLabels[server.status]());
}

/** Describes many changes in one line: the first three, and how many more there are. */
export function digestText(changes: readonly StateChange[]): string {
  return shortList(changes, maxNamed, changeText);
}

/** A server whose state has changed since the last list. */
interface StateChange {
  readonly profileName: string;
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  readonly before: ServerStatus;
}

/**
 * Compares each list of a profile with the previous one. A server that appears or disappears isn't a change of state.
 */
export class StateChanges {
  /** The statuses of the servers, by the name of the profile and the server's key. */
  readonly #known = new Map<string, ReadonlyMap<string, ServerStatus>>();

  /** The changes since the last successful list of this profile; none for the first list or a failure. */
  read({ profileName, snapshot, marks }: ServerSection): readonly StateChange[] {
    if (snapshot.state === "loading" || snapshot.state === "signedOut") this.#known.delete(profileName);
    if (snapshot.isRefreshing || snapshot.error !== undefined || snapshot.isRestored === true) return [];
    if (snapshot.listedAt === undefined) return [];
    const before = this.#known.get(profileName);
    this.#known.set(profileName, new Map(snapshot.servers.map(({ key, status }) => [key, status])));
    return snapshot.servers.flatMap((server) => {
      const mark = marks.get(server.key);
      const was = before?.get(server.key) ?? server.status;
      const isReported = was !== server.status && mark?.isMuted !== true;
      return isReported ? [{ profileName, server, mark, before: was }] : [];
    });
  }
}

/** Servers that failed, or that cost money for nothing, and haven't been viewed since. */
export class UnseenServers {
  readonly #unseen = new Map<string, "failed" | "idle" | "unreachable">();
  /** The servers that cost money for nothing, viewed or not. */
  #idle: ReadonlyMap<string, "idle" | "unreachable"> = new Map();

  get count(): number {
    return this.#unseen.size;
  }

  /** One line for each reason. */
  get lines(): readonly string[] {
    const numberOf = (reason: string): number =>
      [...this.#unseen.values()].filter((each) => each === reason).length;
    return [
      countLine(numberOf("failed"), t("1 server failed since you last looked"), (count) =>
        t("{0} servers failed since you last looked", count),
      ),
      countLine(numberOf("idle"), t("1 server is idle"), (count) => t("{0} servers are idle", count)),
      countLine(numberOf("unreachable"), t("1 server is running without SSH"), (count) =>
        t("{0} servers are running without SSH", count),
      ),
    ].filter((line) => line !== "");
  }

  /** A failed server is counted once; one that has recovered is no longer counted. */
  add(changes: readonly StateChange[]): void {
    for (const { profileName, server } of changes) {
      const key = serverRowId(profileName, server.key);
      if (server.status === "error") this.#unseen.set(key, "failed");
      else if (this.#unseen.get(key) === "failed") this.#unseen.delete(key);
    }
  }

  /** @param idle All servers that cost money for nothing now, by the IDs of their rows. */
  noteUse(idle: ReadonlyMap<string, "idle" | "unreachable">, isViewed: boolean): void {
    for (const [key, reason] of this.#unseen)
      if (reason !== "failed" && idle.get(key) !== reason) this.#unseen.delete(key);
    for (const [key, reason] of idle)
      if (!isViewed && this.#idle.get(key) !== reason) this.#unseen.set(key, reason);
    this.#idle = idle;
  }

  /** Discards what is known about a profile, because the user who is signed in now doesn't have these servers. */
  forget(profileName: string): void {
    const start = serverRowId(profileName, "").slice(0, -2);
    for (const key of this.#unseen.keys()) if (key.startsWith(start)) this.#unseen.delete(key);
  }

  /** The user has seen the servers. */
  clear(): void {
    this.#unseen.clear();
  }
}

/** A text with a number; empty if it is 0. */
export function countLine(count: number, one: string, many: (count: string) => string): string {
  return count === 0 ? "" : count === 1 ? one : many(formatNumber(count));
}
