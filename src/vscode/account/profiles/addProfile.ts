import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { askProfile } from "./askProfile.ts";
import type { Profiles } from "./profiles.ts";
import { showInformationMessage } from "../../shell/window.ts";

/** Asks for a profile, writes it into the user's settings and makes it the active one. */
export async function addProfile(profiles: Profiles): Promise<Profile | undefined> {
  const options = await askProfile(profiles.names);
  if (options === undefined) return undefined;
  await profiles.put(options);
  await profiles.select(options.name);
  return profiles.find(options.name);
}

/** Asks for the credential that a new profile needs first. */
export async function offerCredential({ name, inferenceBaseUrl, gatewayCredential }: Profile): Promise<void> {
  const [label, command] =
    inferenceBaseUrl === undefined
      ? credentialActions()[gatewayCredential]
      : ([vscode.l10n.t("Set API Key"), commandIds.setApiKey] as const);
  const message = vscode.l10n.t("“{0}” is now the active profile.", name);
  const picked = await showInformationMessage(message, label);
  if (picked !== undefined) await vscode.commands.executeCommand(command);
}

function credentialActions() {
  return {
    accessKey: [vscode.l10n.t("Set Access Key"), commandIds.setAccessKey],
    sessionToken: [vscode.l10n.t("Set Session Token"), commandIds.setSessionToken],
    stsToken: [vscode.l10n.t("Set STS Token"), commandIds.setStsToken],
  } as const;
}
