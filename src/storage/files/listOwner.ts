import { createHash } from "node:crypto";
import type { Profile } from "../../core/account/profile.ts";
import type { SecretResult } from "../../core/account/credentialState.ts";

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

/** The name of the owner's files, all of which start with `ownersPrefix`. */
export function ownerFileName({ profileName, identity }: ListOwner): string {
  return `${ownersPrefix(profileName)}${identity}`;
}

/** The prefix of the names of all files of a profile. */
export function ownersPrefix(profileName: string): string {
  return `${hash(profileName)}.`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
