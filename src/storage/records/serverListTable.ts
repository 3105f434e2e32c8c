import { createHash } from "node:crypto";
import type { SecretResult } from "../../core/account/credentialState.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import { formatServerSnapshot, parseServerSnapshot } from "../../core/servers/snapshot/serverSnapshotText.ts";
import type { StoredServers } from "../../core/servers/snapshot/serverSnapshotText.ts";
import { textColumn } from "../database/messageRow.ts";
import type { Records } from "./recordsFile.ts";

/** The list is loaded right after a start anyway, so a snapshot doesn't have to be the latest one. */
const shortestPauseMs = 5 * 60_000;

/** The last list of each owner, so that the next start can show something immediately. */
export class ServerListTable {
  readonly #records: Records;
  readonly #now: () => number;
  readonly #writtenAt = new Map<string, number>();

  /** `now` returns monotonic milliseconds. */
  constructor(records: Records, now: () => number) {
    this.#records = records;
    this.#now = now;
  }

  /** Undefined if nothing readable was stored. */
  async read({ profileName, identity }: ListOwner): Promise<StoredServers | undefined> {
    try {
      const row = await this.#records.attempt(({ database }) =>
        database
          .prepare("SELECT text FROM server_list WHERE profile = ? AND identity = ?")
          .get(profileName, identity),
      );
      return row === undefined ? undefined : parseServerSnapshot(textColumn(row, "text"));
    } catch {
      return undefined;
    }
  }

  /** Writes at most every 5 minutes, and never any secrets. A failed write only makes the next start slower. */
  async write({ profileName, identity }: ListOwner, snapshot: ServerListSnapshot): Promise<void> {
    const writtenAt = this.#writtenAt.get(identity);
    if (writtenAt !== undefined && this.#now() - writtenAt < shortestPauseMs) return;
    const text = formatServerSnapshot(snapshot);
    if (text === undefined) return;
    this.#writtenAt.set(identity, this.#now());
    try {
      await this.#records.attempt(({ database }) =>
        database
          .prepare("INSERT OR REPLACE INTO server_list VALUES (?, ?, ?)")
          .run(profileName, identity, text),
      );
    } catch {
      this.#writtenAt.delete(identity);
    }
  }

  /**
   * Deletes the lists stored for this profile with other settings or credentials, or all of them if there is no longer
   * a credential (`except` is undefined).
   */
  async forget(profileName: string, except?: ListOwner): Promise<void> {
    const kept = except?.identity ?? "";
    const identities = await this.#find(profileName, kept).catch(() => []);
    if (identities.length === 0) return;
    for (const identity of identities) this.#writtenAt.delete(identity);
    const erase = this.#records.attempt(
      ({ database }) =>
        database
          .prepare("DELETE FROM server_list WHERE profile = ? AND identity <> ?")
          .run(profileName, kept),
      { isErasure: true },
    );
    await erase.catch(() => undefined);
  }

  async #find(profileName: string, except: string): Promise<readonly string[]> {
    const rows = await this.#records.attempt(({ database }) =>
      database
        .prepare("SELECT identity FROM server_list WHERE profile = ? AND identity <> ?")
        .all(profileName, except),
    );
    return rows.map((row) => textColumn(row, "identity"));
  }
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
  const asked = { ...profile, color: undefined, production: undefined, serverPrices: undefined };
  // What a source supplies changes with each renewal; the source itself is part of the profile.
  if (credential.state === "supplied") {
    return { profileName: profile.name, identity: hash(JSON.stringify([asked, "supplied"])) };
  }
  if (credential.state !== "present") return undefined;
  const { kind } = credential.credential;
  return { profileName: profile.name, identity: hash(JSON.stringify([asked, kind, credential.savedAt])) };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
