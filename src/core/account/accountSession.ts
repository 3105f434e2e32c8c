import { accountKind } from "./credentialKinds.ts";
import type { StoredSecret } from "./storedSecret.ts";

/** A signed-in user, as VS Code's Accounts menu shows it. */
export interface AccountSession {
  /** The profile's name, because a profile has at most one session token. */
  readonly id: string;
  readonly label: string;
}

/** Differences between two lists of sessions. */
interface SessionChanges {
  readonly added: readonly AccountSession[];
  readonly removed: readonly AccountSession[];
  readonly changed: readonly AccountSession[];
}

/** Lists the session tokens of existing profiles. */
export function listSessions(
  secrets: readonly StoredSecret[],
  profileNames: readonly string[],
): readonly AccountSession[] {
  return secrets.flatMap(({ profileName, kind, facts }) => {
    if (kind !== accountKind || facts === undefined) return [];
    if (!profileNames.includes(profileName)) return [];
    return [{ id: profileName, label: `${profileName} (${facts.origin.replace(/^https?:\/\//, "")})` }];
  });
}

/** What has changed from one list of sessions to the next, by their IDs. */
export function compareSessions(
  before: readonly AccountSession[],
  after: readonly AccountSession[],
): SessionChanges {
  const find = (sessions: readonly AccountSession[], id: string): AccountSession | undefined =>
    sessions.find((session) => session.id === id);
  return {
    added: after.filter(({ id }) => find(before, id) === undefined),
    removed: before.filter(({ id }) => find(after, id) === undefined),
    changed: after.filter(({ id, label }) => {
      const old = find(before, id);
      return old !== undefined && old.label !== label;
    }),
  };
}
