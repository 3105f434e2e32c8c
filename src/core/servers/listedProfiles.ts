import { originOf } from "../kernel/httpAddress.ts";
import type { Profile } from "../account/profile.ts";
import type { ListedProfile } from "./serverLists.ts";

/** Stands for all profiles where there is none: it says what is missing. */
const nobody: ListedProfile = {
  identity: "",
  profileName: "",
  isActive: true,
  isProduction: false,
  color: undefined,
  host: undefined,
};

/** The profiles whose servers are shown: those with a gateway; where none has, the active one says what is missing. */
export function listedProfiles(
  all: readonly Profile[],
  active: Profile | undefined,
): readonly ListedProfile[] {
  const withGateway = all.filter(({ gatewayUrl }) => gatewayUrl !== undefined);
  const shown = withGateway.length > 0 ? withGateway : all.filter((each) => each === active);
  return shown.length === 0 ? [nobody] : shown.map((profile) => listedProfile(profile, active?.name));
}

function listedProfile(profile: Profile, active: string | undefined): ListedProfile {
  const { name, gatewayUrl, production, color } = profile;
  return {
    identity: JSON.stringify({ ...profile, color: undefined, production: undefined }),
    profileName: name,
    isActive: name === active,
    isProduction: production ?? false,
    color,
    host: originOf(gatewayUrl)?.replace(/^https?:\/\//, ""),
  };
}
