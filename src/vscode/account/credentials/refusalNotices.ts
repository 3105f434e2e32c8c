import * as vscode from "vscode";
import type { ErrorFacts } from "../../../core/kernel/errors.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { commandIds, setCommand } from "../../shell/commandIds.ts";
import { showWarningMessage } from "../../shell/window.ts";

/** Tells that the gateway refused the credential of a profile, why, and what to do about it. */
export async function tellRefusal(profile: Profile, { message, reason }: ErrorFacts): Promise<void> {
  const set = vscode.l10n.t("Set Credential");
  const diagnose = vscode.l10n.t("Diagnose");
  const text = vscode.l10n.t("“{0}”: {1}", profile.name, message);
  const actions = reason === "authenticationType" ? [diagnose] : [set, diagnose];
  const picked = await showWarningMessage(text, ...actions);
  if (picked === set)
    await vscode.commands.executeCommand(setCommand(profile.gatewayCredential), profile.name);
  if (picked === diagnose) {
    await vscode.commands.executeCommand(commandIds.diagnoseConnection, profile.name);
  }
}
