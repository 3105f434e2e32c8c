import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { SecretResult } from "../../core/account/credentialState.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import { formatServerSnapshot, parseServerSnapshot } from "../../core/servers/snapshot/serverSnapshotText.ts";
import type { StoredServers } from "../../core/servers/snapshot/serverSnapshotText.ts";

/** The list is loaded right after a start anyway, so a snapshot doesn't have to be the latest one. */
const shortestPauseMs = 5 * 60_000;

/** The last list for each owner, one file each, so that the next start can show something immediately. */
export class SnapshotFiles {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #writtenAt = new Map<string, number>();
  /**
   * Runs one operation after another for all callers in this window: what has to be deleted must not be written a
   * moment later.
   */
  static #queue: Promise<void> = Promise.resolve();

  /** `now` returns monotonic milliseconds. */
  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Undefined if nothing readable was stored. */
  async read(owner: ListOwner): Promise<StoredServers | undefined> {
    try {
      return parseServerSnapshot(await readFile(this.#pathOf(owner), "utf8"));
    } catch {
      return undefined;
    }
  }

  /** Writes at most every 5 minutes, and never any secrets. A failed write only makes the next start slower. */
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
        // Another window may read or write the file at the same time, so it must be replaced as a whole.
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
   * Deletes the lists stored for this profile with other settings or credentials, or all of them if there is no longer
   * a credential (`except` is undefined).
   */
  forget(profileName: string, except?: ListOwner): Promise<void> {
    const prefix = ownersPrefix(profileName);
    const kept = except === undefined ? undefined : ownerFileName(except);
    return this.#enqueue(async () => {
      for (const name of await readdir(this.#folder)) {
        const isKept = kept !== undefined && name.startsWith(kept);
        if (name.startsWith(prefix) && !isKept) await this.#delete(join(this.#folder, name));
      }
    });
  }

  async #delete(path: string): Promise<void> {
    this.#writtenAt.delete(path);
    // On Windows, a file that is in use remains, but it is emptied.
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

/** Thousands of servers must not keep the extension host from other work. */
async function formatSlowly(snapshot: ServerListSnapshot): Promise<string> {
  const pieces: string[] = [];
  for (const piece of formatServerSnapshot(snapshot)) {
    pieces.push(piece);
    await setImmediate();
  }
  return pieces.join("");
}

/** The owner of a list: the same only for the same profile with the same settings and the same credential. */
export interface ListOwner {
  readonly profileName: string;
  /**
   * Settings and credential. The credential is identified by when it was stored, which is the same in all windows and
   * isn't secret.
   */
  readonly identity: string;
}

/** Undefined if the profile has no gateway, or no credential that may be sent to it. */
export function listOwner(profile: Profile, credential: SecretResult): ListOwner | undefined {
  if (profile.gatewayUrl === undefined) return undefined;
  const asked = { ...profile, color: undefined, production: undefined };
  // What a source supplies changes with each renewal; the source itself is part of the profile.
  if (credential.state === "supplied") {
    return { profileName: profile.name, identity: hash(JSON.stringify([asked, "supplied"])) };
  }
  if (credential.state !== "present") return undefined;
  const { kind } = credential.credential;
  return { profileName: profile.name, identity: hash(JSON.stringify([asked, kind, credential.savedAt])) };
}

/** The name of the owner's file, without its extension. */
function ownerFileName({ profileName, identity }: ListOwner): string {
  return `${ownersPrefix(profileName)}${identity}`;
}

/** The prefix of the names of all files of a profile. */
function ownersPrefix(profileName: string): string {
  return `${hash(profileName)}.`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
