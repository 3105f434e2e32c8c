import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import { profileIconName } from "../../core/account/profile.ts";

/** The profile's icon in its color. Production has a shape of its own for users who can't distinguish the color. */
export function profileIcon(profile: Profile): vscode.ThemeIcon {
  return new vscode.ThemeIcon(profileIconName(profile), profileColor(profile));
}

/** The theme's color for the profile; undefined if it has none. */
export function profileColor({ color }: Profile): vscode.ThemeColor | undefined {
  return color === undefined ? undefined : new vscode.ThemeColor(`charts.${color}`);
}
