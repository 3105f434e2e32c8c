import { originOf } from "../kernel/httpAddress.ts";
import type { Profile } from "../account/profile.ts";
import type { FleetProfile } from "./fleet.ts";

/** Stands for all profiles where there is none: it says what is missing. */
const nobody: FleetProfile = {
  identity: "",
  profileName: "",
  isActive: true,
  isProduction: false,
  colour: undefined,
  host: undefined,
};

/** The profiles whose servers are shown: those with a gateway; where none has, the active one says what is missing. */
export function fleetProfiles(all: readonly Profile[], active: Profile | undefined): readonly FleetProfile[] {
  const withGateway = all.filter(({ gatewayUrl }) => gatewayUrl !== undefined);
  const shown = withGateway.length > 0 ? withGateway : all.filter((each) => each === active);
  return shown.length === 0 ? [nobody] : shown.map((profile) => fleetProfile(profile, active?.name));
}

function fleetProfile(profile: Profile, active: string | undefined): FleetProfile {
  const { name, gatewayUrl, production, color } = profile;
  return {
    identity: JSON.stringify({ ...profile, color: undefined, production: undefined }),
    profileName: name,
    isActive: name === active,
    isProduction: production ?? false,
    colour: color,
    host: originOf(gatewayUrl)?.replace(/^https?:\/\//, ""),
  };
}
