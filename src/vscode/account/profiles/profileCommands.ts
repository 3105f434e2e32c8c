import * as vscode from "vscode";
import { registerCommands } from "../../shell/registerCommands.ts";
import { profileFormViewType } from "../viewType.ts";
import type { ProfileFormsContext } from "./profileChecks.ts";
import type { FormRequest, ProfileForms } from "./profileForms.ts";
import type { Profiles } from "./profiles.ts";

/** What the rest of the extension needs from the profiles' commands. */
interface RegisteredProfiles extends vscode.Disposable {
  openForm(request: FormRequest): Promise<void>;
}

/** Registers the palette commands for profiles, and the forms in which they are added and edited. */
export function registerProfileCommands(context: ProfileFormsContext): RegisteredProfiles {
  const { profiles } = context;
  let forms: Promise<ProfileForms> | undefined;
  const load = (): Promise<ProfileForms> =>
    (forms ??= import("./profileForms.ts").then(({ ProfileForms }) => new ProfileForms(context)));
  const registered = vscode.Disposable.from(
    registerCommands("profiles", {
      addProfile: async () => (await load()).open(),
      editProfile: async (profileName?: unknown) => (await load()).edit(profileName),
      async selectProfile() {
        const { selectProfile } = await import("./chooseProfile.ts");
        await selectProfile(profiles);
      },
    }),
    vscode.window.registerWebviewPanelSerializer(profileFormViewType, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await load()).restore(panel, state),
    }),
    { dispose: () => void forms?.then((loaded) => loaded.dispose()) },
    showNewProblems(profiles),
  );
  return {
    openForm: async (request) => (await load()).open(request),
    dispose: () => registered.dispose(),
  };
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
