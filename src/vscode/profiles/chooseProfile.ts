import * as vscode from "vscode";
import { originOf } from "../../core/httpAddress.ts";
import type { Profile } from "../../core/profile.ts";
import { commandIds } from "../commandIds.ts";
import { askProfile } from "./askProfile.ts";
import type { Profiles } from "./profiles.ts";

/** Asks for a profile, writes it into the user's settings and makes it the active one. */
export async function addProfile(profiles: Profiles): Promise<Profile | undefined> {
  const options = await askProfile(profiles.names);
  if (options === undefined) return undefined;
  await profiles.put(options);
  await profiles.select(options.name);
  return profiles.find(options.name);
}

/** The profile that a command is about: the active one, else one that the user picks or adds. */
export async function ensureProfile(profiles: Profiles): Promise<Profile | undefined> {
  if (profiles.active !== undefined) return profiles.active;
  return profiles.all.length === 0 ? addProfile(profiles) : selectProfile(profiles);
}

/** Lets the user pick the profile in use, or add one. */
export async function selectProfile(profiles: Profiles): Promise<Profile | undefined> {
  const items = profiles.all.map((profile) => ({
    label: profile.name,
    description: profile.name === profiles.active?.name ? vscode.l10n.t("in use") : "",
    detail: describeProfile(profile),
  }));
  const addItem = { label: vscode.l10n.t("$(add) Add Profile…"), description: "", detail: "", isAdd: true };
  const picked = await vscode.window.showQuickPick([...items, addItem], {
    title: vscode.l10n.t("Select Profile"),
    placeHolder: vscode.l10n.t("Profile for chats and servers"),
    matchOnDetail: true,
  });
  if (picked === undefined) return undefined;
  if ("isAdd" in picked) return addProfile(profiles);
  await profiles.select(picked.label);
  return profiles.find(picked.label);
}

/** Asks for the credential that a new profile needs first. */
export async function offerCredential({ name, inferenceBaseUrl, gatewayCredential }: Profile): Promise<void> {
  const [label, command] =
    inferenceBaseUrl === undefined
      ? credentialActions()[gatewayCredential]
      : ([vscode.l10n.t("Set API Key"), commandIds.setApiKey] as const);
  const message = vscode.l10n.t("The profile “{0}” is in use now.", name);
  const picked = await vscode.window.showInformationMessage(message, label);
  if (picked !== undefined) await vscode.commands.executeCommand(command);
}

function credentialActions() {
  return {
    accessKey: [vscode.l10n.t("Set Access Key"), commandIds.setAccessKey],
    sessionToken: [vscode.l10n.t("Set Session Token"), commandIds.setSessionToken],
    stsToken: [vscode.l10n.t("Set STS Token"), commandIds.setStsToken],
  } as const;
}

function describeProfile({ inferenceBaseUrl, gatewayUrl }: Profile): string {
  return [originOf(inferenceBaseUrl), originOf(gatewayUrl)].filter((url) => url !== undefined).join(" · ");
}
