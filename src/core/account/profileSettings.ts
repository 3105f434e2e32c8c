import { t } from "@vscode/l10n";
import type { GatewayCredentialKind } from "../kernel/credential.ts";
import { isRecord } from "../kernel/json.ts";
import { filledFields } from "../kernel/filledFields.ts";
import type { Profile } from "./profile.ts";
import { localGatewayPort, localGatewayProfileName } from "./localGateway/localGateway.ts";
import type { ServerPricing } from "./serverPricing.ts";

/** The profile options that the extension itself writes to the settings. One that is undefined is removed. */
export interface ProfileOptions {
  readonly name: string;
  readonly inferenceBaseUrl?: string | undefined;
  readonly gatewayUrl?: string | undefined;
  readonly gatewayCredential?: GatewayCredentialKind | undefined;
  readonly allowInsecureHttp?: boolean | undefined;
  readonly apiKeyOptional?: boolean | undefined;
  readonly production?: boolean | undefined;
  readonly consoleUrl?: string | undefined;
  readonly defaultModel?: string | undefined;
  readonly serverPrices?: ServerPricing | undefined;
  readonly signatureEncoding?: "hex" | "base64";
  readonly signatureEmptyValues?: "omit" | "keep";
}

/**
 * The setting with these options merged into the entry of that name, or into a new entry at the end. Everything else
 * that the user wrote is preserved, including what can't be parsed.
 */
export function putProfile(value: unknown, options: ProfileOptions): readonly unknown[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const index = entries.findIndex((entry) => nameOf(entry) === options.name);
  const existing = entries[index];
  if (!isRecord(existing)) return [...entries, filledFields(options)];
  return entries.with(index, filledFields({ ...existing, ...options }));
}

/**
 * The active profile: the named one, or the first if no name is set. Undefined for an unknown name, so that nothing
 * meant for one place is sent to another.
 */
export function chooseActive(profiles: readonly Profile[], activeName: unknown): Profile | undefined {
  const name = typeof activeName === "string" ? activeName.trim() : "";
  return name === "" ? profiles[0] : profiles.find((profile) => profile.name === name);
}

/** A sentence about an active profile that doesn't exist; undefined if there is no problem. */
export function activeProblem(profiles: readonly Profile[], activeName: unknown): string | undefined {
  if (typeof activeName !== "string" || activeName.trim() === "") return undefined;
  if (chooseActive(profiles, activeName) !== undefined) return undefined;
  return t(
    "The active profile “{0}” doesn't exist. Select another profile, or add it to the settings.",
    activeName.trim(),
  );
}

/**
 * The synced setting together with the entry of the local gateway, which is only true of this machine. While that
 * profile is active, it exists even before another window's entry has arrived here.
 */
export function withLocalProfile(synced: unknown, local: unknown, activeName: string): unknown {
  const origin = `http://127.0.0.1:${localGatewayPort}`;
  const usual = { name: localGatewayProfileName, inferenceBaseUrl: `${origin}/v1`, gatewayUrl: origin };
  const entry = local ?? (activeName === localGatewayProfileName ? usual : undefined);
  if (entry === undefined) return synced;
  return [...splitProfiles(synced).synced, entry];
}

/** The counterpart of `withLocalProfile`. */
export function splitProfiles(value: unknown): {
  readonly synced: readonly unknown[];
  readonly local: unknown;
} {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const isLocal = (entry: unknown): boolean => nameOf(entry) === localGatewayProfileName;
  return { synced: entries.filter((entry) => !isLocal(entry)), local: entries.find(isLocal) };
}

function nameOf(entry: unknown): string | undefined {
  const name = isRecord(entry) ? entry["name"] : undefined;
  return typeof name === "string" ? name.trim() : undefined;
}
