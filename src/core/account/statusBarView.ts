import { t } from "@vscode/l10n";
import { credentialNoun } from "./credentialRow.ts";
import type { StoredSecret } from "./storedSecret.ts";
import { formatDate, formatRemaining } from "../kernel/formatTime.ts";
import type { Profile } from "./profile.ts";
import { describeProfile, profileIconName } from "./profile.ts";
import { isGatewayKind, credentialKinds } from "./credentialKinds.ts";

/** The facts that the status bar shows for the window. */
export interface StatusBarFacts {
  readonly profile: Profile | undefined;
  readonly isWorkspaceDefault: boolean;
  /** The model of the active chat, otherwise the one last used with the profile. */
  readonly model: string | undefined;
  readonly secrets: readonly StoredSecret[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What is shown; texts from outside are included as plain text. */
interface StatusBarView {
  /** May contain codicons. */
  readonly text: string;
  /** The same text for screen readers, with words instead of icons. */
  readonly spoken: string;
  /** The lines of the tooltip. */
  readonly lines: readonly string[];
  /** `warning` for production, `error` if a token has expired. */
  readonly severity: "none" | "warning" | "error";
}

/** Below this remaining time, a countdown is shown in the status bar. */
const shownBelowMs = 24 * 3_600_000;

/** The text, tooltip and color of the item in the status bar. */
export function createStatusBarView(facts: StatusBarFacts): StatusBarView {
  const { profile } = facts;
  if (profile === undefined) {
    const text = t("No profile selected");
    return { text: `$(warning) ${text}`, spoken: text, lines: [text], severity: "none" };
  }
  const token = soonestToken(facts);
  const tokenText = token === undefined ? undefined : describeToken(token, facts.now);
  const isEnded = token !== undefined && endOf(token) <= facts.now;
  const words = [profile.name, facts.model, tokenText].filter((word) => word !== undefined);
  const icon = isEnded ? "warning" : profileIconName(profile);
  const production = profile.production === true ? [t("production")] : [];
  return {
    text: `$(${icon}) ${words.map(withoutIcons).join(" · ")}`,
    spoken: [...words, ...production].join(", "),
    lines: describe(profile, facts),
    severity: isEnded ? "error" : profile.production === true ? "warning" : "none",
  };
}

/** The token in use that expires first, once its expiry is close enough to count down. */
function soonestToken({ profile, secrets, now }: StatusBarFacts): StoredSecret | undefined {
  return secrets
    .filter(
      ({ profileName, kind, facts }) =>
        profileName === profile?.name &&
        profile.credentialSources?.[kind] === undefined &&
        (kind === profile.gatewayCredential || !isGatewayKind(kind)) &&
        facts?.expiresAt !== undefined &&
        facts.expiresAt - now < shownBelowMs,
    )
    .toSorted((a, b) => endOf(a) - endOf(b))[0];
}

function endOf({ facts }: StoredSecret): number {
  return facts?.expiresAt ?? Infinity;
}

function describeToken(secret: StoredSecret, now: number): string {
  const left = endOf(secret) - now;
  const kind = credentialKinds[secret.kind].noun();
  return left <= 0 ? t("{0} expired", kind) : t("{0}: {1} left", kind, formatRemaining(left));
}

function describe(
  profile: Profile,
  { isWorkspaceDefault, model, secrets, now }: StatusBarFacts,
): readonly string[] {
  const own = secrets.filter(
    ({ profileName, kind }) =>
      profileName === profile.name && profile.credentialSources?.[kind] === undefined,
  );
  return [
    profile.production === true
      ? t("Profile “{0}”, marked as production", profile.name)
      : t("Profile “{0}”", profile.name),
    ...(isWorkspaceDefault ? [t("Workspace default")] : []),
    describeProfile(profile),
    ...(model === undefined ? [] : [t("Model: {0}", model)]),
    ...own.flatMap((secret) => describeEnd(secret, now)),
  ].filter((line) => line !== "");
}

function describeEnd(secret: StoredSecret, now: number): readonly string[] {
  const expiresAt = secret.facts?.expiresAt;
  if (expiresAt === undefined) return [];
  const noun = credentialNoun(secret);
  const when = formatDate(expiresAt);
  return expiresAt <= now
    ? [t("The {0} expired {1}; requests are paused until a new one is set", noun, when)]
    : [t("The {0} expires in {1} ({2})", noun, formatRemaining(expiresAt - now), when)];
}

/** A name that contains `$(bug)` is shown literally. */
function withoutIcons(text: string): string {
  return text.replaceAll("$(", "$\u2060(").replace(/[\r\n]+/g, " ");
}
