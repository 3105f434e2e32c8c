import type { StoredSecret } from "./storedSecret.ts";
import { credentialKinds } from "./credentialKinds.ts";

/** A notification about a credential that is shown without the user asking for it. */
export interface CredentialNotice {
  /** The token expires soon, the key is due for rotation, or the old key of a rotation hasn't been revoked yet. */
  readonly about: "ending" | "aged" | "unrevoked";
  readonly secret: StoredSecret;
  /** Identical in every window; changes when the credential is replaced. */
  readonly id: string;
}

export interface NoticeSettings {
  /** How long before its expiry a token triggers a notice, in milliseconds. 0 means never. */
  readonly beforeEndMs: number;
  /** The age at which a key is due for rotation, in milliseconds. 0 means never. */
  readonly oldAgeMs: number;
}

const dayMs = 86_400_000;
/** How long until a notice is repeated, in milliseconds. The expiry of a token is announced only once. */
const againMs = { ending: Infinity, aged: 7 * dayMs, unrevoked: dayMs } as const;

/**
 * The notices that are due now.
 * @param shownAt When each notice was last shown, by its ID, in milliseconds since 1970.
 */
export function dueNotices(
  secrets: readonly StoredSecret[],
  shownAt: ReadonlyMap<string, number>,
  settings: NoticeSettings,
  now: number,
): readonly CredentialNotice[] {
  return secrets.flatMap((secret) => {
    const notice = findNotice(secret, settings, now);
    const notifiedAt = notice === undefined ? undefined : shownAt.get(notice.id);
    if (notice === undefined) return [];
    return notifiedAt === undefined || now - notifiedAt >= againMs[notice.about] ? [notice] : [];
  });
}

/** The shown notices that may still apply. Those of replaced credentials are dropped. */
export function keepHandled(
  shownAt: ReadonlyMap<string, number>,
  secrets: readonly StoredSecret[],
): ReadonlyMap<string, number> {
  const possible = new Set(
    secrets.flatMap((secret) =>
      (["ending", "aged", "unrevoked"] as const).map((about) => noticeId(about, secret)),
    ),
  );
  return new Map([...shownAt].filter(([id]) => possible.has(id)));
}

function findNotice(
  secret: StoredSecret,
  { beforeEndMs, oldAgeMs }: NoticeSettings,
  now: number,
): CredentialNotice | undefined {
  const { kind, slot, facts } = secret;
  if (facts === undefined) return undefined;
  const create = (about: CredentialNotice["about"]): CredentialNotice => ({
    about,
    secret,
    id: noticeId(about, secret),
  });
  if (slot === "previous") {
    return now - (facts.replacedAt ?? now) >= dayMs ? create("unrevoked") : undefined;
  }
  if (facts.expiresAt !== undefined) {
    const left = facts.expiresAt - now;
    return left > 0 && left <= beforeEndMs ? create("ending") : undefined;
  }
  const isKey = credentialKinds[kind].lifetime === "key";
  return isKey && oldAgeMs > 0 && now - facts.savedAt >= oldAgeMs ? create("aged") : undefined;
}

function noticeId(
  about: CredentialNotice["about"],
  { profileName, kind, slot, facts }: StoredSecret,
): string {
  const at = about === "ending" ? facts?.expiresAt : facts?.savedAt;
  return [about, profileName, kind, slot, at].join("/");
}

/** Milliseconds until the countdown of a token has to be repainted or a notice may be due. */
export function nextLook(secrets: readonly StoredSecret[], now: number): number {
  const left = secrets
    .filter(({ slot }) => slot === "current")
    .map(({ facts }) => (facts?.expiresAt ?? 0) - now)
    .filter((milliseconds) => milliseconds > 0);
  const shortest = Math.min(...left, Infinity);
  if (shortest <= 60_000) return 1_000;
  return shortest <= 2 * dayMs ? Math.min(60_000, shortest - 60_000 + 1) : 3_600_000;
}
