import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { isRecord, numberField, stringField } from "../../core/kernel/json.ts";
import { createLease, isOwnMachine, hasProcess } from "./streamLease.ts";
import type { StreamLease } from "./streamLease.ts";

/** The machine that writes to a folder. */
export interface FolderWriter {
  readonly host: string;
  /** When it was last known to be alive, in milliseconds since 1970 by its own clock. */
  readonly aliveAt: number;
}

/** The contents of the lease file. `windows`: the processes of the machine that have the folder open. */
interface Lease extends StreamLease {
  readonly windows: readonly number[];
}

/** How often a writer renews its lease, in milliseconds. Every renewal is synced to the other machines. */
export const folderRenewalMs = 20_000;

/** Longer than a sync takes: a writer that hasn't renewed its lease for this long (in milliseconds) has gone. */
const silenceMs = 180_000;

/**
 * Milliseconds without a renewal after which a writer that is seen for the first time has gone, because its clock may
 * differ by minutes.
 */
const longSilenceMs = 900_000;

/**
 * Lets one machine at a time write to a folder that several may have, such as one on a synced or network disk. The
 * windows of one machine share the lease, because SQLite coordinates them.
 */
export class FolderLease {
  readonly #file: string;
  readonly #host: string;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #seen: { readonly aliveAt: number; readonly host: string; readonly at: number } | undefined;

  /**
   * @param now Milliseconds since 1970.
   * @param monotonic Monotonic milliseconds.
   * @param host The name of this machine.
   */
  constructor(folder: string, now: () => number, monotonic: () => number, host = hostname()) {
    this.#file = join(folder, "writer.json");
    this.#host = host;
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /**
   * Acquires or renews the lease. Returns the other machine that has it; undefined if it is ours now. Throws the
   * system's error if the folder can't be written.
   */
  acquire(): FolderWriter | undefined {
    const lease = this.#read();
    if (lease !== undefined && !this.#isOwn(lease) && !this.#isGone(lease)) return lease;
    this.takeOver();
    return undefined;
  }

  /** Makes this machine the writer, regardless of the previous one, which notices at its next renewal. */
  takeOver(): void {
    const windows = this.#ownWindows().filter((id) => id !== process.pid);
    this.#write({ ...createLease(this.#now()), host: this.#host, windows: [...windows, process.pid] });
  }

  /** Called when this window no longer writes. The last window of the machine gives up the lease. */
  release(): void {
    const lease = this.#read();
    if (lease === undefined || !this.#isOwn(lease)) return;
    const windows = this.#ownWindows().filter((id) => id !== process.pid);
    this.#write({ ...lease, windows, aliveAt: windows.length === 0 ? 0 : lease.aliveAt });
  }

  /** Whether other windows of this machine use the folder. */
  get isShared(): boolean {
    return this.#ownWindows().some((id) => id !== process.pid);
  }

  #isOwn(lease: Lease): boolean {
    return lease.host === this.#host && isOwnMachine({ ...lease, host: hostname() });
  }

  /** The processes of this machine that use the folder. */
  #ownWindows(): readonly number[] {
    const lease = this.#read();
    return lease !== undefined && this.#isOwn(lease) ? lease.windows.filter((id) => hasProcess(id)) : [];
  }

  #isGone({ aliveAt, host }: Lease): boolean {
    if (aliveAt === 0 || Math.abs(this.#now() - aliveAt) > longSilenceMs) return true;
    const at = this.#monotonic();
    if (this.#seen?.aliveAt === aliveAt && this.#seen.host === host) return at - this.#seen.at > silenceMs;
    this.#seen = { aliveAt, host, at };
    return false;
  }

  /** Undefined if there is no lease, or if it can't be understood. */
  #read(): Lease | undefined {
    let value: unknown;
    try {
      if (statSync(this.#file).size > 100_000) return undefined;
      value = JSON.parse(readFileSync(this.#file, "utf8"));
    } catch {
      return undefined;
    }
    if (!isRecord(value)) return undefined;
    const [host, process] = [stringField(value, "host"), stringField(value, "process")];
    const [processId, aliveAt] = [numberField(value, "processId"), numberField(value, "aliveAt")];
    if (host === undefined || aliveAt === undefined) return undefined;
    const windows: readonly unknown[] = Array.isArray(value["windows"]) ? value["windows"] : [];
    return {
      ...{ host, aliveAt, process: process ?? "", processId: processId ?? 0 },
      windows: windows.filter((id) => typeof id === "number"),
    };
  }

  /** Replaces the file at once, so that no machine reads half of it. */
  #write(lease: Lease): void {
    // A disk that isn't mounted must not become a folder of the same name.
    if (statSync(dirname(dirname(this.#file))).isDirectory())
      mkdirSync(dirname(this.#file), { recursive: true });
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(lease, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}
