import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { setCommand } from "../../shell/commandIds.ts";
import { askProfile } from "./askProfile.ts";
import type { Profiles } from "./profiles.ts";
import { showInformationMessage } from "../../shell/window.ts";
import { credentialKinds } from "../../../core/account/credentialKinds.ts";

/** Asks for a profile, writes it to the user settings and makes it the active one. */
export async function addProfile(profiles: Profiles): Promise<Profile | undefined> {
  const options = await askProfile(profiles.names);
  if (options === undefined) return undefined;
  await profiles.put(options);
  await profiles.select(options.name);
  return profiles.find(options.name);
}

/** Offers to enter the credential that a new profile needs first. */
export async function offerCredential({ name, inferenceBaseUrl, gatewayCredential }: Profile): Promise<void> {
  const kind = inferenceBaseUrl === undefined ? gatewayCredential : "apiKey";
  const message = vscode.l10n.t("“{0}” is now the active profile.", name);
  const picked = await showInformationMessage(message, credentialKinds[kind].setLabel());
  if (picked !== undefined) await vscode.commands.executeCommand(setCommand(kind));
}
