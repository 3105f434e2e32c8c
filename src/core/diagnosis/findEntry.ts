import { parseProfiles } from "../account/parseProfiles.ts";

/** The entry of the setting `inferenceGateway.profiles` that the profile was read from, as the user wrote it. */
export function findEntry(setting: unknown, profileName: string): unknown {
  const entries: readonly unknown[] = Array.isArray(setting) ? setting : [];
  return entries.find((entry) => parseProfiles([entry]).profiles[0]?.name === profileName);
}
