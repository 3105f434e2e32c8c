import { t } from "@vscode/l10n";
import { assertNever } from "../kernel/assertNever.ts";
import type { Credential, SecretKind, GatewayCredentialKind } from "../kernel/credential.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { Profile } from "./profile.ts";
import { secretOrigin } from "./secretEntries.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import { credentialKinds, refusedKind, isGatewayKind } from "./credentialKinds.ts";
import { credentialForms } from "../kernel/credential.ts";

/**
 * The vault's state for a profile and kind.
 * - `lost` it was stored and has disappeared without being removed: storage without a keyring is cleared when VS Code
 *   exits.
 * - `otherOrigin` it was entered for a different address than the profile has now, and is not handed out.
 * - `unreadable` something is stored, but it isn't one of our entries.
 * - `supplied` a source in the profile supplies it. It isn't requested before something has to be sent.
 * - `unavailable` the source didn't supply it, for the reason in `problem`.
 */
export type SecretResult =
  | {
      readonly state: "present";
      readonly credential: Credential;
      readonly savedAt: number;
      readonly expiresAt?: number;
    }
  | { readonly state: "missing" | "lost" | "unreadable" }
  | { readonly state: "otherOrigin"; readonly enteredFor: string }
  | { readonly state: "supplied" }
  | { readonly state: "unavailable"; readonly problem: string; readonly isAllowed: boolean };

/** The stored credential. If it can't be used, throws `missingCredential` with a sentence that explains why. */
export function requireCredential<K extends SecretKind>(
  result: SecretResult,
  profile: Profile,
  kind: K,
): Extract<Credential, { readonly kind: K }> {
  if (result.state === "present" && isOfKind(result.credential, kind)) return result.credential;
  throw new ServiceError({
    // A source that fails may work the next time. One that isn't allowed waits for the user.
    reason: result.state === "unavailable" && result.isAllowed ? "configuration" : "missingCredential",
    credential: kind,
    ...(profile.consoleUrl === undefined ? {} : { link: profile.consoleUrl }),
    message:
      describeAbsence(result, profile, kind) ??
      t("There is no {0} for “{1}”.", credentialKinds[kind].noun(), profile.name),
  });
}

/** Explains why there is no credential to send and what to do; undefined if there is one. */
export function describeAbsence(
  result: SecretResult,
  profile: Profile,
  kind: SecretKind,
): string | undefined {
  const noun = credentialKinds[kind].noun();
  switch (result.state) {
    case "present":
    case "supplied":
      return undefined;
    case "unavailable":
      return result.problem;
    case "missing":
      return t("The profile “{0}” has no {1} yet. Set it, then retry.", profile.name, noun);
    case "lost":
      return t(
        "The {0} for the profile “{1}” is no longer in VS Code's secret storage. Without a system keyring, secrets are lost on exit. Set it again.",
        noun,
        profile.name,
      );
    case "unreadable":
      return t("The stored {0} for the profile “{1}” can't be read. Set it again.", noun, profile.name);
    case "otherOrigin": {
      const now = secretOrigin(profile, kind) ?? t("no address");
      return t(
        "The {0} for the profile “{1}” was saved for {2}, but the profile now points to {3}. It wasn't sent. Set the {4} again for the new address.",
        noun,
        profile.name,
        result.enteredFor,
        now,
        noun,
      );
    }
    default:
      return assertNever(result);
  }
}

function isOfKind<K extends SecretKind>(
  credential: Credential,
  kind: K,
): credential is Extract<Credential, { readonly kind: K }> {
  return credential.kind === kind;
}

/**
 * Whether the gateway refused the credential itself (interface section 7). Network errors, certificate errors and
 * timeouts say nothing about a credential.
 */
export function isRefusal({ reason }: Pick<ErrorFacts, "reason">): boolean {
  const kind = refusedKind(reason);
  return reason === "authenticationType" || (kind !== undefined && isGatewayKind(kind));
}

/**
 * Throws if the stored token has expired, because a request with it would only be rejected. The reason is the same as
 * that of the rejection, so that repeated callers stop and the displayed data stays.
 * @param serverNow Milliseconds since 1970 by the server's clock.
 */
export function assertNotExpired(
  result: SecretResult,
  profile: Profile,
  kind: GatewayCredentialKind,
  serverNow: number,
): void {
  if (result.state !== "present" || result.expiresAt === undefined || serverNow < result.expiresAt) return;
  const facts = credentialKinds[kind];
  if (facts.lifetime === "key") return;
  throw new ServiceError({
    reason: credentialForms[kind].refusedAs,
    message: t(
      "The {0} for the profile “{1}” has expired. Requests are paused until you set a new one.",
      facts.noun(),
      profile.name,
    ),
  });
}
