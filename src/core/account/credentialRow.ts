import { t } from "@vscode/l10n";
import type { Profile } from "./profile.ts";
import { secretOrigin } from "./secretEntries.ts";
import { secretKinds, credentialKinds } from "./credentialKinds.ts";
import type { SecretFacts, StoredSecret } from "./storedSecret.ts";
import { formatDate, formatDay, formatRemaining, formatAge } from "../kernel/formatTime.ts";

/** An action available for a stored credential. */
export type CredentialAction = "replace" | "rotate" | "setExpiry" | "confirmRevoked" | "restore" | "remove";

/** How a stored credential is displayed, never including its value. */
export interface CredentialRow {
  readonly secret: StoredSecret;
  /** The kind and the last characters: `API key ····9f3c`. */
  readonly label: string;
  /** What matters at a glance: that it is old, has expired, or isn't sent. */
  readonly state: string;
  /** Origin and times. */
  readonly detail: string;
  /** False if it can't or shouldn't be used any more. */
  readonly isGood: boolean;
  /** The most likely action comes first. */
  readonly actions: readonly CredentialAction[];
}

/**
 * One row for each stored secret.
 * @param profile The profile that it belongs to; undefined if no profile has that name any more.
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

/** Compares by the order of the page: kind by kind, each old key below its successor. */
export function compareSecrets(a: StoredSecret, b: StoredSecret): number {
  const place = ({ kind, slot }: StoredSecret): number =>
    secretKinds.indexOf(kind) * 2 + (slot === "previous" ? 1 : 0);
  return place(a) - place(b);
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
  { kind, slot, facts }: StoredSecret,
  profile: Profile | undefined,
  now: number,
): string | undefined {
  if (facts === undefined) return t("can't be read; set it again");
  if (profile === undefined) return t("profile deleted");
  if (slot === "previous") return t("old; revoke it");
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
  const { origin, savedAt, replacedAt, expiresAt } = facts;
  const used =
    lastUsedAt === undefined ? t("never used") : t("last used {0} ago", formatAge(now - lastUsedAt));
  return [
    origin,
    t("stored {0} ({1} ago)", formatDay(savedAt), formatAge(now - savedAt)),
    used,
    ...(replacedAt === undefined ? [] : [t("replaced {0} ago", formatAge(now - replacedAt))]),
    ...(expiresAt === undefined ? [] : [t("expires {0}", formatDate(expiresAt))]),
  ].join(" · ");
}

function offerActions({ kind, slot, facts }: StoredSecret): readonly CredentialAction[] {
  if (facts === undefined) return ["replace", "remove"];
  if (slot === "previous") return ["confirmRevoked", "restore", "remove"];
  return credentialKinds[kind].lifetime === "key"
    ? ["rotate", "replace", "remove"]
    : ["replace", "setExpiry", "remove"];
}
