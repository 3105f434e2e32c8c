import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import { profileIconName } from "../../core/account/profile.ts";

/** The profile's icon in its color; production has a shape of its own, for those who don't see the color. */
export function profileIcon(profile: Profile): vscode.ThemeIcon {
  return new vscode.ThemeIcon(profileIconName(profile), profileColor(profile));
}

export function profileColor({ color }: Profile): vscode.ThemeColor | undefined {
  return color === undefined ? undefined : new vscode.ThemeColor(`charts.${color}`);
}
