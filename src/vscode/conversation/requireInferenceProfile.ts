import * as vscode from "vscode";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { Profiles } from "../account/profiles/profiles.ts";

/** The active profile. Throws a ServiceError `configuration` if there is none that can send requests. */
export function requireInferenceProfile(profiles: Profiles): Profile {
  const profile = profiles.active;
  if (profile?.inferenceBaseUrl !== undefined) return profile;
  throw new ServiceError({
    reason: "configuration",
    message:
      profiles.problems[0] ??
      vscode.l10n.t(
        "There is no profile with an inference base URL. Add a profile or start the local gateway.",
      ),
  });
}
