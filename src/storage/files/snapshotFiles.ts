import { randomUUID } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import type { StoredServers } from "../../core/servers/snapshot/serverSnapshotText.ts";
import { formatServerSnapshot, parseServerSnapshot } from "../../core/servers/snapshot/serverSnapshotText.ts";
import type { ListOwner } from "./listOwner.ts";
import { ownerFileName, ownersPrefix } from "./listOwner.ts";

/** Who starts is asked for the list at once: a snapshot need not be the very last one. */
const shortestPauseMs = 5 * 60_000;

/** What was listed last for each owner, a file each, so that the next start has something to show at once. */
export class SnapshotFiles {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #writtenAt = new Map<string, number>();
  /**
   * One after the other, whichever caller in this window wants it: what has to be deleted must not be written a moment
   * later.
   */
  static #queue: Promise<void> = Promise.resolve();

  /** `now` gives milliseconds since any start. */
  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Undefined if nothing was stored, or nothing that can be read. */
  async read(owner: ListOwner): Promise<StoredServers | undefined> {
    try {
      return parseServerSnapshot(await readFile(this.#pathOf(owner), "utf8"));
    } catch {
      return undefined;
    }
  }

  /** Not oftener than every 5 minutes; without secrets. What can't be written is only slower at the next start. */
  write(owner: ListOwner, snapshot: ServerListSnapshot): Promise<void> {
    const path = this.#pathOf(owner);
    const writtenAt = this.#writtenAt.get(path);
    if (writtenAt !== undefined && this.#now() - writtenAt < shortestPauseMs) return SnapshotFiles.#queue;
    if (snapshot.listedAt === undefined) return SnapshotFiles.#queue;
    this.#writtenAt.set(path, this.#now());
    return this.#enqueue(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomUUID()}`;
      try {
        // Another window may read or write it at the same time: whole or not at all.
        await writeFile(draft, await formatSlowly(snapshot), { mode: 0o600 });
        await rename(draft, path);
      } catch (error) {
        this.#writtenAt.delete(path);
        await rm(draft, { force: true });
        throw error;
      }
    });
  }

  /**
   * Deletes what was listed for this profile with other settings or credentials, or all of it if there is no credential
   * any more (`except` is undefined).
   */
  forget(profileName: string, except?: ListOwner): Promise<void> {
    const prefix = ownersPrefix(profileName);
    const kept = except === undefined ? undefined : ownerFileName(except);
    return this.#enqueue(async () => {
      for (const name of await readdir(this.#folder)) {
        // A window that has another credential for it, as two browsers may, still uses its other files.
        const isKept = kept !== undefined && (name.startsWith(kept) || !name.includes(".json"));
        if (name.startsWith(prefix) && !isKept) await this.#delete(join(this.#folder, name));
      }
    });
  }

  async #delete(path: string): Promise<void> {
    this.#writtenAt.delete(path);
    // On Windows a file that is in use stays; it is empty.
    await rm(path, { force: true }).catch(() => undefined);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    SnapshotFiles.#queue = SnapshotFiles.#queue.then(work).catch(() => undefined);
    return SnapshotFiles.#queue;
  }

  #pathOf(owner: ListOwner): string {
    return join(this.#folder, `${ownerFileName(owner)}.json`);
  }
}

/** Thousands of servers must not keep the extension host from anything else. */
async function formatSlowly(snapshot: ServerListSnapshot): Promise<string> {
  const pieces: string[] = [];
  for (const piece of formatServerSnapshot(snapshot)) {
    pieces.push(piece);
    await setImmediate();
  }
  return pieces.join("");
}
