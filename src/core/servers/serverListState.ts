import { t } from "@vscode/l10n";
import { ServiceError } from "../kernel/errors.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { Listeners } from "../kernel/listeners.ts";
import type { ListExtent, Server, ServerList } from "./server.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** The states of the view; a context key with the same values selects the welcome content. */
type ServerViewState = "loading" | "signedOut" | "empty" | "failed" | "ready";

/** Everything known about the servers of one profile. */
export interface ServerListSnapshot extends ListExtent {
  readonly state: ServerViewState;
  /** The rows of the last successful response; kept if a refresh fails. */
  readonly servers: readonly Server[];
  readonly isRefreshing: boolean;
  /** When the rows were received, in milliseconds since 1970. */
  readonly listedAt?: number;
  /** Why the last refresh failed; if there are rows, they are stale. */
  readonly error?: ErrorFacts;
  /** Whether the rows are from an earlier session and nothing has been listed since. */
  readonly isRestored?: true;
  /** Number of failed refreshes since the last successful one. */
  readonly failures: number;
}

const nothingYet: ServerListSnapshot = { state: "loading", servers: [], isRefreshing: false, failures: 0 };

/**
 * The servers of the active profile: one request at a time, at most one more queued, and the last good rows kept.
 * Switching the profile or credential clears everything, and late responses for the previous one are discarded.
 */
export class ServerListState {
  readonly #source: ServerSource;
  readonly #now: () => number;
  readonly #listeners = new Listeners<ServerListSnapshot>();
  #snapshot = nothingYet;
  #generation = 0;
  #run: ServerListRun | undefined;
  #pending: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  /** `now` returns milliseconds since 1970. */
  constructor(source: ServerSource, now: () => number) {
    this.#source = source;
    this.#now = now;
  }

  get current(): ServerListSnapshot {
    return this.#snapshot;
  }

  /** Returns a function that unsubscribes. */
  onDidChange(listener: (snapshot: ServerListSnapshot) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Requests the list. If a request is in progress, one more follows it, shared by all callers, because what they want
   * to see may have happened after the first response. Never rejects; the snapshot contains the outcome.
   */
  refresh(): Promise<void> {
    if (this.#pending === undefined) return this.#start();
    const generation = this.#generation;
    this.#queued ??= this.#pending.then(() => (generation === this.#generation ? this.#start() : undefined));
    return this.#queued;
  }

  /** Requests the list unless a request is already in progress. Never rejects. */
  poll(): Promise<void> {
    return this.#pending ?? this.#start();
  }

  /** The profile or credential has changed: current and pending data belongs to the old one. */
  reset(): void {
    this.#abandon();
    this.#set(nothingYet);
  }

  /** Shows the list of an earlier session until the first response arrives; has no effect after that. */
  restore({
    servers,
    listedAt,
    ...beyond
  }: Required<Pick<ServerListSnapshot, "servers" | "listedAt">> & ListExtent): void {
    const { state, isRefreshing } = this.#snapshot;
    if (state !== "loading" || servers.length === 0) return;
    const extent = pickExtent(beyond);
    this.#set({ state: "ready", servers, ...extent, isRefreshing, listedAt, isRestored: true, failures: 0 });
  }

  /** The machine slept: a request from before is no longer awaited, and earlier failures no longer count. */
  wake(): void {
    if (this.#pending === undefined && this.#snapshot.failures === 0) return;
    this.#abandon();
    this.#set({ ...this.#snapshot, isRefreshing: false, failures: 0 });
  }

  /** Ends the request in progress. Listeners are no longer notified. */
  dispose(): void {
    this.#abandon();
  }

  #abandon(): void {
    this.#generation++;
    this.#run?.stop();
    this.#run = undefined;
    this.#pending = undefined;
    this.#queued = undefined;
  }

  #start(): Promise<void> {
    const generation = this.#generation;
    this.#queued = undefined;
    const pending = this.#ask().then((next) => this.#finish(generation, next));
    // Set before listeners are notified, because a listener that also requests the list must find this request.
    this.#pending = pending;
    this.#set({ ...this.#snapshot, isRefreshing: true });
    return pending;
  }

  #finish(generation: number, next: ServerListSnapshot): void {
    if (generation !== this.#generation) return;
    this.#run = undefined;
    this.#pending = undefined;
    this.#set(next);
  }

  async #ask(): Promise<ServerListSnapshot> {
    try {
      this.#run = this.#source.list();
      return listed(await this.#run.list, this.#now());
    } catch (error) {
      return failed(this.#snapshot, errorFacts(error));
    }
  }

  #set(snapshot: ServerListSnapshot): void {
    this.#snapshot = snapshot;
    this.#listeners.emit(snapshot);
  }
}

function pickExtent({ total, hasMore, incomplete }: ListExtent): ListExtent {
  return filledFields({ total, hasMore, incomplete });
}

function listed({ servers, ...beyond }: ServerList, listedAt: number): ServerListSnapshot {
  return {
    state: servers.length === 0 ? "empty" : "ready",
    servers,
    ...pickExtent(beyond),
    isRefreshing: false,
    listedAt,
    failures: 0,
  };
}

/** Without a credential there is nothing to show; after any other failure, the last good rows are kept. */
function failed(before: ServerListSnapshot, error: ErrorFacts): ServerListSnapshot {
  const failures = before.failures + 1;
  if (error.reason === "missingCredential") {
    return { state: "signedOut", servers: [], isRefreshing: false, error, failures };
  }
  const state = before.servers.length > 0 ? "ready" : "failed";
  return { ...before, state, isRefreshing: false, error, failures };
}

function errorFacts(error: unknown): ErrorFacts {
  if (error instanceof ServiceError) return error.facts;
  return {
    reason: "malformed",
    message: t("The list of servers couldn't be read. See the log for details."),
  };
}

/** One request for the list in progress. */
export interface ServerListRun {
  /** Rejects with a ServiceError: `missingCredential` if there is no credential, which includes having no profile. */
  readonly list: Promise<ServerList>;
  /** Closes the socket at once; `list` may settle in any way afterward. */
  stop(): void;
}

/** Port: the source of the server list (interface section 4.2); always the active profile's gateway. */
export interface ServerSource {
  /** Starts a request for the whole list, with all its pages. */
  list(): ServerListRun;
}
