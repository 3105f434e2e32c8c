import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { describeProfile } from "../../../core/account/profile.ts";
import { pickItem } from "../../shell/pickItem.ts";
import { showQuickPick } from "../../shell/window.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { profileIcon } from "../profileIcon.ts";
import type { Profiles } from "./profiles.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";

/**
 * The profile that a command applies to: the active one, otherwise one that the user picks. If there is none yet, the
 * form for a new one opens, which also asks for credentials.
 */
export async function ensureProfile(profiles: Profiles): Promise<Profile | undefined> {
  if (profiles.active !== undefined) return profiles.active;
  return profiles.all.length === 0 ? openForm(commandIds.addProfile) : selectProfile(profiles);
}

async function openForm(...command: readonly [id: string, profileName?: string]): Promise<undefined> {
  await vscode.commands.executeCommand(...command);
}

interface ProfileItem extends vscode.QuickPickItem {
  /** Undefined means a profile that is still to be added. */
  readonly profile?: Profile;
}

/** Lets the user pick the active profile, everywhere or only in this workspace, or add one. */
export async function selectProfile(profiles: Profiles): Promise<Profile | undefined> {
  const pin = workspacePin(profiles);
  const items: readonly ProfileItem[] = [
    ...profiles.all.map((profile) => createItem(profiles, profile, pin)),
    { label: vscode.l10n.t("$(add) Add Profile…"), alwaysShow: true },
  ];
  const picked = await pickItem(items, {
    title: vscode.l10n.t("Select Profile"),
    placeholder: vscode.l10n.t("Select the profile for chats and servers"),
  });
  if (picked === undefined) return undefined;
  const { profile } = picked.item;
  if (profile === undefined) return openForm(commandIds.addProfile);
  if (picked.button?.tooltip === editText()) return openForm(commandIds.editProfile, profile.name);
  if (picked.button === undefined) await profiles.select(profile.name);
  else await profiles.selectForWorkspace(isOwn(profiles, profile) ? undefined : profile.name);
  return profiles.find(profile.name);
}

/** Lets the user pick a profile to edit. If there is none, the form for a new one opens. */
export async function chooseProfile(profiles: Profiles): Promise<Profile | undefined> {
  if (profiles.all.length === 0) return openForm(commandIds.addProfile);
  const items = profiles.all.map((profile) => createItem(profiles, profile, undefined));
  const title = vscode.l10n.t("Edit Profile");
  return (await showQuickPick(items, { title }))?.profile;
}

function createItem(
  profiles: Profiles,
  profile: Profile,
  pin: vscode.QuickInputButton | undefined,
): ProfileItem {
  const states = [
    ...(profile.production === true ? [vscode.l10n.t("production")] : []),
    ...(profile.name === profiles.active?.name ? [vscode.l10n.t("in use")] : []),
    ...(isOwn(profiles, profile) ? [vscode.l10n.t("workspace default")] : []),
  ];
  const own = { iconPath: new vscode.ThemeIcon("pinned"), tooltip: releaseText() };
  return {
    label: escapeCodicons(profile.name),
    iconPath: profileIcon(profile),
    description: states.join(" · "),
    detail: describeProfile(profile),
    buttons: [
      ...(pin === undefined ? [] : [isOwn(profiles, profile) ? own : pin]),
      { iconPath: new vscode.ThemeIcon("edit"), tooltip: editText() },
    ],
    profile,
  };
}

/** Only if there is a workspace that can have its own default, and more than one profile to choose from. */
function workspacePin(profiles: Profiles): vscode.QuickInputButton | undefined {
  if (vscode.workspace.name === undefined) return undefined;
  if (profiles.all.length < 2 && profiles.workspaceName === undefined) return undefined;
  const tooltip = vscode.l10n.t("Set as Workspace Default");
  return { iconPath: new vscode.ThemeIcon("pin"), tooltip };
}

function editText(): string {
  return vscode.l10n.t("Edit Profile…");
}

function releaseText(): string {
  return vscode.l10n.t("Clear Workspace Default");
}

function isOwn(profiles: Profiles, { name }: Profile): boolean {
  return profiles.workspaceName === name;
}
