import { t } from "@vscode/l10n";
import { parseProfiles } from "../parseProfiles.ts";
import { chooseActive, putProfile, splitProfiles } from "../profileSettings.ts";
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
  const { inferenceBaseUrl, gatewayUrl } = gateway;
  const before = parseProfiles(host.readProfiles()).profiles;
  const value = putProfile(host.readProfiles(), {
    name: localGatewayProfileName,
    inferenceBaseUrl,
    gatewayUrl,
  });
  const profile = parseProfiles(value).profiles.find(({ name }) => name === localGatewayProfileName);
  if (profile === undefined) throw new Error(t("The local gateway's profile can't be read."));
  for (const credential of gateway.credentials === undefined ? [] : listCredentials(gateway.credentials))
    await host.storeCredential(profile, credential);
  await host.writeProfiles(value);
  const activeName = host.readActiveName();
  const active = chooseActive(before, activeName);
  const isActive = active?.name === localGatewayProfileName;
  const takesOver = active === undefined || !isAutomatic;
  const { previousProfile } = host.readMemory();
  const previous = isActive || !takesOver ? previousProfile : activeName;
  await host.writeMemory(previous === undefined ? {} : { previousProfile: previous });
  if (takesOver && activeName !== localGatewayProfileName)
    await host.writeActiveName(localGatewayProfileName);
}

/**
 * Switches back to the profile that was active before, unless the user has selected another one since. The profile
 * "Local gateway" is removed if nothing listens at its address anymore.
 */
export async function leaveProfile(host: LocalGatewayHost, isRunning: boolean): Promise<void> {
  const { previousProfile } = host.readMemory();
  await host.writeMemory({});
  const { synced } = splitProfiles(host.readProfiles());
  if (!isRunning) await host.writeProfiles(synced);
  if (previousProfile === undefined || host.readActiveName() !== localGatewayProfileName) return;
  const isKnown = chooseActive(parseProfiles(synced).profiles, previousProfile) !== undefined;
  if (previousProfile === "" || isKnown) await host.writeActiveName(previousProfile);
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

/** The port in its profile, so that open conversations continue, or the usual one. */
export function portOfProfile(host: LocalGatewayHost): number {
  const { profiles } = parseProfiles(host.readProfiles());
  const profile = profiles.find(({ name }) => name === localGatewayProfileName);
  const reading = readHttpAddress(profile?.inferenceBaseUrl ?? "");
  const port = "problem" in reading ? undefined : /:(\d+)$/.exec(reading.address.origin)?.[1];
  return port === undefined ? localGatewayPort : Number(port);
}
