import * as vscode from "vscode";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { Profiles } from "./profiles.ts";

/** Registers the palette commands for profiles. */
export function registerProfileCommands(profiles: Profiles): vscode.Disposable {
  return vscode.Disposable.from(
    registerCommands("profiles", {
      async addProfile() {
        const { addProfile, offerCredential } = await import("./addProfile.ts");
        const profile = await addProfile(profiles);
        if (profile !== undefined) void offerCredential(profile);
      },
      async selectProfile() {
        const { selectProfile } = await import("./chooseProfile.ts");
        await selectProfile(profiles);
      },
    }),
    showNewProblems(profiles),
  );
}

/** Reports problems caused by a change of the settings. Earlier ones are shown in the log and in the panel. */
function showNewProblems(profiles: Profiles): vscode.Disposable {
  let known = profiles.problems;
  return profiles.onDidChange(async () => {
    const [problem] = profiles.problems.filter((candidate) => !known.includes(candidate));
    known = profiles.problems;
    if (problem === undefined) return;
    const { showProfileProblem } = await import("./profileSettings.ts");
    await showProfileProblem(problem);
  });
}
