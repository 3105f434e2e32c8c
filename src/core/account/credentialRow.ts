import { t } from "@vscode/l10n";
import { formatAge, formatDate, formatDay, formatRemaining } from "../kernel/formatTime.ts";
import { credentialKinds, secretKinds } from "./credentialKinds.ts";
import type { Profile } from "./profile.ts";
import { secretOrigin } from "./secretEntries.ts";
import type { SecretFacts, StoredSecret } from "./storedSecret.ts";

/** A notification that a token expires soon, which is shown once without the user asking for it. */
export interface CredentialNotice {
  readonly secret: StoredSecret;
  /** Identical in every window; changes when the credential is replaced. */
  readonly id: string;
}

const dayMs = 86_400_000;
/** How long before its expiry a token triggers a notice, in milliseconds: enough to sign in once more. */
const beforeEndMs = 5 * 60_000;

/**
 * The notices that are due now.
 * @param shown The IDs of those that have been shown.
 */
export function dueNotices(
  secrets: readonly StoredSecret[],
  shown: ReadonlySet<string>,
  now: number,
): readonly CredentialNotice[] {
  return secrets.flatMap((secret) => {
    const left = (secret.facts?.expiresAt ?? now) - now;
    const id = noticeId(secret);
    return left > 0 && left <= beforeEndMs && !shown.has(id) ? [{ secret, id }] : [];
  });
}

/** The shown notices that may still apply. Those of replaced credentials are dropped. */
export function keepShown(shown: ReadonlySet<string>, secrets: readonly StoredSecret[]): ReadonlySet<string> {
  return new Set(secrets.map(noticeId).filter((id) => shown.has(id)));
}

function noticeId({ profileName, kind, facts }: StoredSecret): string {
  return [profileName, kind, facts?.expiresAt].join("/");
}

/** Milliseconds until the countdown of a token has to be repainted or a notice may be due. */
export function nextLook(secrets: readonly StoredSecret[], now: number): number {
  const left = secrets
    .map(({ facts }) => (facts?.expiresAt ?? 0) - now)
    .filter((milliseconds) => milliseconds > 0);
  const shortest = Math.min(...left, Infinity);
  if (shortest <= 60_000) return 1_000;
  return shortest <= 2 * dayMs ? Math.min(60_000, shortest - 60_000 + 1) : 3_600_000;
}

/** An action available for a stored credential. */
export type CredentialAction = "replace" | "setExpiry" | "remove";

/** How a stored credential is displayed, never including its value. */
export interface CredentialRow {
  readonly secret: StoredSecret;
  /** The kind and the last characters: `API key ····9f3c`. */
  readonly label: string;
  /** What matters at a glance: that it is old, has expired, or isn't sent. */
  readonly state: string;
  /** Origin and times. */
  readonly detail: string;
  /** False if it can't or shouldn't be used anymore. */
  readonly isGood: boolean;
  /** The most likely action comes first. */
  readonly actions: readonly CredentialAction[];
}

/**
 * One row for each stored secret.
 * @param profile The profile that it belongs to; undefined if no profile has that name anymore.
 * @param now Milliseconds since 1970.
 */
export function createCredentialRow(
  secret: StoredSecret,
  profile: Profile | undefined,
  now: number,
): CredentialRow {
  const problem = describeProblem(secret, profile, now);
  return {
    secret,
    label: credentialLabel(secret),
    state: problem ?? describeExpiry(secret.facts, now),
    detail: describeTimes(secret, now),
    isGood: problem === undefined,
    actions: profile === undefined ? ["remove"] : offerActions(secret),
  };
}

/** Compares by the order of the page: kind by kind. */
export function compareSecrets(a: StoredSecret, b: StoredSecret): number {
  return secretKinds.indexOf(a.kind) - secretKinds.indexOf(b.kind);
}

/** The kind with the last four characters, which identify a key to its owner. */
export function credentialLabel({ kind, facts }: StoredSecret): string {
  return withLastFour(credentialKinds[kind].label(), facts);
}

/** The same as a part of a sentence: `access key ····9f3c`. */
export function credentialNoun({ kind, facts }: StoredSecret): string {
  return withLastFour(credentialKinds[kind].noun(), facts);
}

function withLastFour(text: string, facts: SecretFacts | undefined): string {
  return facts?.lastFour === undefined ? text : `${text} ····${facts.lastFour}`;
}

function describeProblem(
  { kind, facts }: StoredSecret,
  profile: Profile | undefined,
  now: number,
): string | undefined {
  if (facts === undefined) return t("can't be read; set it again");
  if (profile === undefined) return t("profile deleted");
  if (profile.credentialSources?.[kind] !== undefined) return t("not sent: the profile names another source");
  if (facts.expiresAt !== undefined && facts.expiresAt <= now) return t("expired");
  if (facts.origin !== secretOrigin(profile, kind)) return t("not sent: the profile's address has changed");
  return undefined;
}

function describeExpiry(facts: SecretFacts | undefined, now: number): string {
  if (facts?.expiresAt === undefined) return "";
  return t("expires in {0}", formatRemaining(facts.expiresAt - now));
}

function describeTimes({ facts, lastUsedAt }: StoredSecret, now: number): string {
  if (facts === undefined) return "";
  const { origin, savedAt, expiresAt } = facts;
  const used =
    lastUsedAt === undefined ? t("never used") : t("last used {0} ago", formatAge(now - lastUsedAt));
  return [
    origin,
    t("stored {0} ({1} ago)", formatDay(savedAt), formatAge(now - savedAt)),
    used,
    ...(expiresAt === undefined ? [] : [t("expires {0}", formatDate(expiresAt))]),
  ].join(" · ");
}

function offerActions({ kind, facts }: StoredSecret): readonly CredentialAction[] {
  return facts === undefined || credentialKinds[kind].lifetime === "key"
    ? ["replace", "remove"]
    : ["replace", "setExpiry", "remove"];
}
