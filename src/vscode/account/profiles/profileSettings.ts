import * as vscode from "vscode";
import { showWarningMessage } from "../../shell/window.ts";

/** Shows a problem with the profiles, and offers to fix it in the settings. */
export async function showProfileProblem(problem: string): Promise<void> {
  const editProfiles = vscode.l10n.t("Edit Profiles");
  const picked = await showWarningMessage(problem, editProfiles);
  if (picked === editProfiles) await showProfileSettings();
}

/** Opens the settings that contain the profiles. */
export async function showProfileSettings(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openSettingsJson", {
    revealSetting: { key: "inferenceGateway.profiles", edit: true },
  });
}
