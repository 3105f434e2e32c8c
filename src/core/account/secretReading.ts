import { t } from "@vscode/l10n";
import { assertNever } from "../kernel/assertNever.ts";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { ServiceError } from "../kernel/errors.ts";
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
  | {
      readonly state: "present";
      readonly credential: Credential;
      readonly savedAt: number;
      readonly expiresAt?: number;
    }
  | { readonly state: "missing" | "lost" | "unreadable" }
  | { readonly state: "otherOrigin"; readonly enteredFor: string };

/** The names of the secrets in the middle of a sentence. */
const nouns: Readonly<Record<SecretKind, () => string>> = {
  apiKey: () => t("API key"),
  accessKey: () => t("access key"),
  sessionToken: () => t("session token"),
  stsToken: () => t("STS token"),
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
    message:
      describeAbsence(reading, profile, kind) ?? t("There is no {0} for “{1}”.", nouns[kind](), profile.name),
  });
}

/** Why there is nothing to send, and what to do; undefined when there is. */
export function describeAbsence(
  reading: SecretReading,
  profile: Profile,
  kind: SecretKind,
): string | undefined {
  const noun = nouns[kind]();
  switch (reading.state) {
    case "present":
      return undefined;
    case "missing":
      return t("The profile “{0}” has no {1} yet. Set it, then retry.", profile.name, noun);
    case "lost":
      return t(
        "The {0} of the profile “{1}” is no longer in VS Code's secret storage. Without a system keyring, secrets are lost on exit. Set it again.",
        noun,
        profile.name,
      );
    case "unreadable":
      return t("The stored {0} of the profile “{1}” can't be read. Set it again.", noun, profile.name);
    case "otherOrigin": {
      const now = secretOrigin(profile, kind) ?? t("no address");
      return t(
        "The {0} of the profile “{1}” was saved for {2}, but the profile now points to {3}. It was not sent. Set the {4} again for the new address.",
        noun,
        profile.name,
        reading.enteredFor,
        now,
        noun,
      );
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
