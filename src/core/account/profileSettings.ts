import { t } from "@vscode/l10n";
import type { GatewayCredentialKind } from "../kernel/credential.ts";
import { isRecord } from "../kernel/json.ts";
import type { Profile } from "./profile.ts";

/** The options of a profile that the extension itself writes into the settings. */
export interface ProfileOptions {
  readonly name: string;
  readonly inferenceBaseUrl?: string;
  readonly gatewayUrl?: string;
  readonly gatewayCredential?: GatewayCredentialKind;
  readonly allowInsecureHttp?: boolean;
  readonly apiKeyOptional?: boolean;
  readonly signatureEncoding?: "hex" | "base64";
  readonly signatureEmptyValues?: "omit" | "keep";
}

/**
 * The setting with these options put into the entry of that name, or into a new entry at the end. All else that the
 * user wrote stays as it is, what we can't read included.
 */
export function putProfile(value: unknown, options: ProfileOptions): readonly unknown[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const index = entries.findIndex((entry) => nameOf(entry) === options.name);
  const existing = entries[index];
  if (!isRecord(existing)) return [...entries, options];
  return entries.with(index, { ...existing, ...options });
}

/**
 * The profile in use: the named one, or the first where no name is set. A name that no profile has means none: what
 * was meant for one place is not sent to another.
 */
export function chooseActive(profiles: readonly Profile[], activeName: unknown): Profile | undefined {
  const name = typeof activeName === "string" ? activeName.trim() : "";
  return name === "" ? profiles[0] : profiles.find((profile) => profile.name === name);
}

/** The sentence about an active profile that does not exist; undefined when all is well. */
export function activeProblem(profiles: readonly Profile[], activeName: unknown): string | undefined {
  if (typeof activeName !== "string" || activeName.trim() === "") return undefined;
  if (chooseActive(profiles, activeName) !== undefined) return undefined;
  return t(
    "The active profile “{0}” does not exist. Select another profile, or add it to the settings.",
    activeName.trim(),
  );
}

function nameOf(entry: unknown): string | undefined {
  const name = isRecord(entry) ? entry["name"] : undefined;
  return typeof name === "string" ? name.trim() : undefined;
}

/** Where an imported profile goes. */
export interface ProfilePlace {
  readonly name: string;
  /** False if the very same profile is there already. */
  readonly isNew: boolean;
}

/** Never replaces a profile: one of the same name that leads elsewhere makes the imported one “Name (2)”. */
export function placeProfile(existing: readonly Profile[], imported: Profile): ProfilePlace {
  const namesake = existing.find(({ name }) => name === imported.name);
  if (namesake === undefined) return { name: imported.name, isNew: true };
  const isSame =
    namesake.inferenceBaseUrl === imported.inferenceBaseUrl && namesake.gatewayUrl === imported.gatewayUrl;
  if (isSame) return { name: imported.name, isNew: false };
  const names = new Set(existing.map(({ name }) => name));
  for (let number = 2; ; number++) {
    const name = `${imported.name} (${number})`;
    if (!names.has(name)) return { name, isNew: true };
  }
}
