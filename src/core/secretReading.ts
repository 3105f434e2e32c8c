import { assertNever } from "./assertNever.ts";
import type { Credential, SecretKind } from "./credential.ts";
import { ServiceError } from "./errors.ts";
import type { Profile } from "./profile.ts";
import { secretOrigin } from "./secretEntry.ts";

/**
 * What the vault has for a profile and kind.
 *
 * - `lost` it was stored, and is gone without having been removed: storage without a keyring forgets at the end.
 * - `otherOrigin` it was entered for another address than the profile has now, and is not handed out.
 * - `unreadable` something is stored, but no entry of ours.
 */
export type SecretReading =
  | { readonly state: "present"; readonly credential: Credential; readonly savedAt: number }
  | { readonly state: "missing" | "lost" | "unreadable" }
  | { readonly state: "otherOrigin"; readonly enteredFor: string };

/** The names of the secrets in the middle of a sentence. */
const nouns: Readonly<Record<SecretKind, string>> = {
  apiKey: "API key",
  accessKey: "access key",
  sessionToken: "session token",
  stsToken: "STS token",
};

/** The stored credential; where it can't be used, `missingCredential` with the sentence that says why. */
export function requireCredential<K extends SecretKind>(
  reading: SecretReading,
  profile: Profile,
  kind: K,
): Extract<Credential, { readonly kind: K }> {
  if (reading.state === "present" && isOfKind(reading.credential, kind)) return reading.credential;
  throw new ServiceError({
    reason: "missingCredential",
    credential: kind,
    message: describeAbsence(reading, profile, kind) ?? `There is no ${nouns[kind]} for “${profile.name}”.`,
  });
}

/** Why there is nothing to send, and what to do; undefined when there is. */
export function describeAbsence(
  reading: SecretReading,
  profile: Profile,
  kind: SecretKind,
): string | undefined {
  const noun = nouns[kind];
  switch (reading.state) {
    case "present":
      return undefined;
    case "missing":
      return `The profile “${profile.name}” has no ${noun} yet. Set it, then retry.`;
    case "lost":
      return `The ${noun} of the profile “${profile.name}” is no longer in VS Code's secret storage, which forgets on exit where the system has no keyring. Set it again.`;
    case "unreadable":
      return `The stored ${noun} of the profile “${profile.name}” can't be read. Set it again.`;
    case "otherOrigin": {
      const now = secretOrigin(profile, kind) ?? "no address";
      return `The ${noun} of the profile “${profile.name}” was entered for ${reading.enteredFor}, and the profile now has ${now}. It was not sent. Set the ${noun} for the new address.`;
    }
    default:
      return assertNever(reading);
  }
}

function isOfKind<K extends SecretKind>(
  credential: Credential,
  kind: K,
): credential is Extract<Credential, { readonly kind: K }> {
  return credential.kind === kind;
}
