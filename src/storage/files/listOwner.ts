import { createHash } from "node:crypto";
import type { Profile } from "../../core/account/profile.ts";
import type { SecretResult } from "../../core/account/credentialState.ts";

/** Whose list something is: the same only for the same profile with the same settings and the same credential. */
export interface ListOwner {
  readonly profileName: string;
  /**
   * Settings and credential, the latter identified by when it was stored: the same in all windows, and nothing secret.
   */
  readonly identity: string;
}

/** Undefined if the profile has no gateway, or no credential that may be sent to it. */
export function listOwner(profile: Profile, credential: SecretResult): ListOwner | undefined {
  if (profile.gatewayUrl === undefined || credential.state !== "present") return undefined;
  const { kind } = credential.credential;
  const asked = { ...profile, color: undefined, production: undefined };
  return { profileName: profile.name, identity: hash(JSON.stringify([asked, kind, credential.savedAt])) };
}

/** The name of the owner's files, which all begin as `ownersPrefix` says. */
export function ownerFileName({ profileName, identity }: ListOwner): string {
  return `${ownersPrefix(profileName)}${identity}`;
}

/** How the names of all files of a profile begin. */
export function ownersPrefix(profileName: string): string {
  return `${hash(profileName)}.`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
