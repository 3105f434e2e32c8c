import { t } from "@vscode/l10n";
import { parseProfiles } from "../parseProfiles.ts";
import { chooseActive, putProfile, splitProfiles } from "../profileSettings.ts";
import type { Profile } from "../profile.ts";
import type { Credential } from "../../kernel/credential.ts";
import { readHttpAddress } from "../../kernel/httpAddress.ts";
import { localGatewayPort, localGatewayProfileName } from "./localGateway.ts";
import type { LocalGateway, LocalGatewayCredentials, LocalGatewayHost } from "./localGateway.ts";

/**
 * Points the profile "Local gateway" to the running one, and makes it the active one unless the start is automatic and
 * another one is in use. The secrets are stored first, so that they can be found as soon as the new addresses are
 * visible.
 */
export async function announceGateway(
  host: LocalGatewayHost,
  gateway: LocalGateway,
  isAutomatic: boolean,
): Promise<void> {
  const { profiles } = host;
  const { inferenceBaseUrl, gatewayUrl } = gateway;
  const before = parseProfiles(profiles.readRaw()).profiles;
  const entry = { name: localGatewayProfileName, inferenceBaseUrl, gatewayUrl };
  const value = putProfile(profiles.readRaw(), entry);
  const profile = findLocal(value);
  if (profile === undefined) throw new Error(t("The local gateway's profile can't be read."));
  for (const credential of gateway.credentials === undefined ? [] : listCredentials(gateway.credentials))
    await host.storeCredential(profile, credential);
  await profiles.writeRaw(value);
  const { activeName } = profiles;
  const active = chooseActive(before, activeName);
  if (active?.name === localGatewayProfileName || (active !== undefined && isAutomatic)) return;
  await host.writePrevious(activeName);
  await profiles.select(localGatewayProfileName);
}

/**
 * Switches back to the profile that was active before, unless the user has selected another one since. The profile
 * "Local gateway" is removed if nothing listens at its address anymore.
 */
export async function leaveProfile(host: LocalGatewayHost, isRunning: boolean): Promise<void> {
  const { profiles } = host;
  const previous = host.readPrevious();
  await host.writePrevious(undefined);
  const { synced } = splitProfiles(profiles.readRaw());
  if (!isRunning) await profiles.writeRaw(synced);
  if (previous === undefined || profiles.activeName !== localGatewayProfileName) return;
  const isKnown = chooseActive(parseProfiles(synced).profiles, previous) !== undefined;
  if (previous === "" || isKnown) await profiles.select(previous);
}

function listCredentials(credentials: LocalGatewayCredentials): readonly Credential[] {
  const { apiKey, accessKey, apiSecret, sessionToken, stsToken } = credentials;
  return [
    { kind: "apiKey", apiKey },
    { kind: "accessKey", accessKey, apiSecret },
    { kind: "sessionToken", token: sessionToken },
    { kind: "stsToken", token: stsToken },
  ];
}

/** The profile of the local gateway. */
export function findLocal(value: unknown): Profile | undefined {
  return parseProfiles(value).profiles.find(({ name }) => name === localGatewayProfileName);
}

/** The port in its profile, so that open conversations continue, or the usual one. */
export function portOfProfile(host: LocalGatewayHost): number {
  return portOf(findLocal(host.profiles.readRaw())?.inferenceBaseUrl ?? "") ?? localGatewayPort;
}

/** The port that an address names. */
export function portOf(url: string): number | undefined {
  const reading = readHttpAddress(url);
  const port = "problem" in reading ? undefined : /:(\d+)$/.exec(reading.address.origin)?.[1];
  return port === undefined ? undefined : Number(port);
}
