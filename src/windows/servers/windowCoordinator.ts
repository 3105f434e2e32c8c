import { join } from "node:path";
import { ServiceError } from "../../core/kernel/errors.ts";
import { Listeners } from "../../core/kernel/listeners.ts";
import { withExtent } from "../../core/servers/server.ts";
import type { ListExtent, ServerList } from "../../core/servers/server.ts";
import type { ServerListPort } from "../../core/servers/serverLists.ts";
import type { PollingLeadership } from "../../core/servers/serverPoller.ts";
import type { SharedOutcome, ServerListRun } from "../../core/servers/serverListState.ts";
import { FollowerLink } from "./followerLink.ts";
import type { PollResult, LeaderMessage } from "./leaderLink.ts";
import { LeaderLink } from "./leaderLink.ts";
import { ownerFileName } from "../../storage/files/snapshotFiles.ts";
import type { ListOwner } from "../../storage/files/snapshotFiles.ts";
import { Lease } from "../link/lease.ts";

/** A list as returned by the gateway. */
export interface RequestedList {
  readonly list: ServerList;
  /** The raw response, which other windows parse for themselves. */
  readonly text: string;
  /** What the headers said about servers beyond the list. */
  readonly extent?: ListExtent;
}

interface WindowCoordinatorContext {
  /** The folder through which the windows on a machine find each other. */
  readonly folder: string;
  /** Undefined without a credential, because then there is nothing to share. */
  readOwner(): Promise<ListOwner | undefined>;
  /** Requests the list from the gateway in this window. Rejects with a ServiceError or the signal's reason. */
  ask(signal: AbortSignal): Promise<RequestedList>;
  /** Parses the response that another window received. Rejects with a ServiceError. */
  read(text: string): Promise<ServerList>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after this many milliseconds; returns a function that cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
}

/** If neither the lease is free nor its holder can be found, a window tries again after this time. */
const retryMs = 1_000;

/**
 * Shares one gateway's list among all windows on the machine that view it with the same credential. One of them holds
 * the lease, polls, and notifies the others, which ask the leader to refresh if their user requests it. If the leader
 * is gone or hidden, another window takes over. If it hangs, each window polls for itself.
 */
export class WindowCoordinator implements ServerListPort, PollingLeadership {
  readonly #context: WindowCoordinatorContext;
  readonly #listeners = new Listeners<void>();
  readonly #resultListeners = new Listeners<SharedOutcome>();
  #refresh: () => Promise<void> = () => Promise.resolve();
  #isVisible = false;
  /** Incremented with each change of owner or visibility, which cancels anything started before. */
  #generation = 0;
  /** Settled once every message of the leader so far has been handled. It never rejects. */
  #messages: Promise<void> = Promise.resolve();
  #isLeading: boolean | undefined;
  #announcedAt: number | undefined;
  #files: string | undefined;
  #lease: Lease | undefined;
  #leader: LeaderLink | undefined;
  #follower: FollowerLink | undefined;
  #cancelRetry: () => void = () => undefined;
  #lastResult: PollResult | undefined;
  #lastText: string | undefined;
  #lastExtent: ListExtent = {};
  #lastOutcome: SharedOutcome | undefined;

  constructor(context: WindowCoordinatorContext) {
    this.#context = context;
  }

  get share(): PollingLeadership {
    return this;
  }

  get isLeading(): boolean | undefined {
    return this.#isLeading;
  }

  get announcedAt(): number | undefined {
    return this.#announcedAt;
  }

  onDidChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  onPollResult(listener: (outcome: SharedOutcome) => void): () => void {
    return this.#resultListeners.add(listener);
  }

  /** Sets the function that refreshes the list when another window's user requests it. */
  onRefreshWanted(refresh: () => Promise<void>): void {
    this.#refresh = refresh;
  }

  list(): ServerListRun {
    const controller = new AbortController();
    return { list: this.#list(controller.signal), stop: () => controller.abort() };
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    this.#leave();
    if (isVisible) void this.#join(this.#generation);
  }

  announce(delayMs: number | undefined): void {
    this.#leader?.announce(delayMs);
  }

  reset(): void {
    this.#lastResult = undefined;
    this.#lastText = undefined;
    this.#lastOutcome = undefined;
    this.setVisible(this.#isVisible);
  }

  async #list(signal: AbortSignal): Promise<ServerList> {
    if (await this.#requestRefresh(signal)) {
      const outcome = this.#lastOutcome;
      if (outcome !== undefined && "error" in outcome) throw new ServiceError(outcome.error);
      if (outcome !== undefined) return outcome.list;
    }
    signal.throwIfAborted();
    return await this.#ask(signal);
  }

  /**
   * Asks the leading window to refresh. True once it has polled and sent its result. A hidden window connects to the
   * leader first.
   */
  async #requestRefresh(signal: AbortSignal): Promise<boolean> {
    if (this.#isVisible) return await this.#read(this.#follower?.refresh(signal) ?? Promise.resolve(false));
    const generation = this.#generation;
    const owner = await this.#context.readOwner().catch(() => undefined);
    if (owner === undefined || generation !== this.#generation) return false;
    const link = new FollowerLink({
      addressFile: `${join(this.#context.folder, ownerFileName(owner))}.link`,
      schedule: (callback, delayMs) => this.#context.schedule(callback, delayMs),
      onLeaderMessage: (message) => {
        if (generation === this.#generation) this.#handleMessage(message);
      },
      onClosed: () => undefined,
    });
    const isDone = await this.#read(link.refresh(signal));
    link.close();
    return isDone;
  }

  async #ask(signal: AbortSignal): Promise<ServerList> {
    const generation = this.#generation;
    const publish = (result: PollResult): void => {
      if (generation !== this.#generation) return;
      this.#lastResult = result;
      this.#leader?.broadcast(result);
    };
    try {
      const { list, text, extent = {} } = await this.#context.ask(signal);
      publish({ text, listedAt: this.#context.now(), extent });
      return list;
    } catch (error) {
      if (error instanceof ServiceError && !signal.aborted) publish({ error: error.facts });
      throw error;
    }
  }

  async #join(generation: number): Promise<void> {
    const owner = await this.#context.readOwner().catch(() => undefined);
    if (generation !== this.#generation) return;
    if (owner === undefined) {
      this.#setLeading(true);
      return;
    }
    this.#files = join(this.#context.folder, ownerFileName(owner));
    this.#lease = new Lease(`${this.#files}.lock`);
    this.#tryToLead();
  }

  #tryToLead(): void {
    const lease = this.#lease;
    if (lease === undefined || this.#files === undefined) return;
    const addressFile = `${this.#files}.link`;
    const generation = this.#generation;
    if (lease.acquire()) {
      if (lease.isHeld) {
        const now = (): number => this.#context.now();
        this.#leader = new LeaderLink({ addressFile, now, refresh: () => this.#refresh() });
        if (this.#lastResult !== undefined) this.#leader.broadcast(this.#lastResult);
      }
      this.#setLeading(true);
      return;
    }
    this.#follower = new FollowerLink({
      addressFile,
      schedule: (callback, delayMs) => this.#context.schedule(callback, delayMs),
      onLeaderMessage: (message) => {
        if (generation === this.#generation) this.#handleMessage(message);
      },
      onClosed: () => {
        if (generation === this.#generation) this.#loseLeader();
      },
    });
    this.#setLeading(false);
  }

  /** The leader was closed, was hidden, or is unresponsive. The lease is free only in the first two cases. */
  #loseLeader(): void {
    this.#follower = undefined;
    this.#announcedAt = undefined;
    if (this.#lease?.acquire() === true) this.#tryToLead();
    else this.#cancelRetry = this.#context.schedule(() => this.#tryToLead(), retryMs);
  }

  /** Waits until the results that have arrived in the meantime are read. */
  async #read<Result>(work: Promise<Result>): Promise<Result> {
    const result = await work;
    await this.#messages;
    return result;
  }

  /** A long list isn't read at once, so each message waits for the one before it. */
  #handleMessage(message: LeaderMessage): void {
    const generation = this.#generation;
    const taken = this.#messages.then(() => this.#takeMessage(message, generation));
    // A defect is reported as an unhandled rejection of `taken`, and doesn't stop later messages.
    this.#messages = new Promise((resolve) => void taken.finally(resolve));
  }

  async #takeMessage(message: LeaderMessage, generation: number): Promise<void> {
    if (generation !== this.#generation) return;
    if (message.type === "next") {
      this.#announcedAt = message.inMs === undefined ? undefined : this.#context.now() + message.inMs;
      this.#listeners.emit();
    } else if (message.type === "result") {
      this.#lastResult = message.result;
      const { result } = message;
      const outcome = "error" in result ? result : await this.#readList(result);
      if (generation === this.#generation) this.#notifyResult(outcome);
    } else if (message.type === "same" && this.#lastText !== undefined) {
      const result = { text: this.#lastText, listedAt: message.listedAt, extent: this.#lastExtent };
      this.#lastResult = result;
      const outcome = await this.#readList(result);
      if (generation === this.#generation) this.#notifyResult(outcome);
    }
  }

  async #readList({
    text,
    listedAt,
    extent = {},
  }: Exclude<PollResult, { error: unknown }>): Promise<SharedOutcome> {
    this.#lastText = text;
    this.#lastExtent = extent;
    try {
      return { list: withExtent(await this.#context.read(text), extent), listedAt };
    } catch (error) {
      if (error instanceof ServiceError) return { error: error.facts };
      throw error;
    }
  }

  #notifyResult(outcome: SharedOutcome): void {
    this.#lastOutcome = outcome;
    this.#announcedAt = undefined;
    this.#resultListeners.emit(outcome);
  }

  #setLeading(isLeading: boolean): void {
    if (isLeading === this.#isLeading) return;
    this.#isLeading = isLeading;
    this.#announcedAt = undefined;
    this.#listeners.emit();
  }

  #leave(): void {
    this.#generation++;
    this.#cancelRetry();
    this.#isLeading = undefined;
    this.#announcedAt = undefined;
    // The lease is released first, so that it is free when others notice that the connection is closed.
    this.#lease?.release();
    this.#leader?.close();
    this.#follower?.close();
    this.#lease = undefined;
    this.#leader = undefined;
    this.#follower = undefined;
    this.#files = undefined;
  }
}
