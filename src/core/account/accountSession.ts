import { accountKind } from "./credentialKinds.ts";
import type { StoredSecret } from "./storedSecret.ts";

/** A signed-in user, as VS Code's Accounts menu shows it. */
export interface AccountSession {
  /** The profile's name, because a profile has at most one session token. */
  readonly id: string;
  readonly label: string;
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

/** The sessions whose IDs the other list doesn't contain. */
export function sessionsBeside(
  sessions: readonly AccountSession[],
  others: readonly AccountSession[],
): readonly AccountSession[] {
  return sessions.filter(({ id }) => !others.some((other) => other.id === id));
}
