import * as vscode from "vscode";
import { originOf } from "../../core/kernel/httpAddress.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { showInformationMessage, showQuickPick } from "../shell/window.ts";
import { noIcons } from "../../core/kernel/noIcons.ts";

/** The profiles to look at: the only one, or those that the user leaves ticked. Empty when the user turns away. */
export async function chooseProfiles(profiles: Profiles): Promise<readonly Profile[]> {
  if (profiles.all.length === 0) {
    void showInformationMessage(profiles.problems[0] ?? vscode.l10n.t("There is no profile to diagnose."));
    return [];
  }
  if (profiles.all.length === 1) return profiles.all;
  const items = profiles.all.map((profile) => ({
    label: noIcons(profile.name),
    description: [originOf(profile.inferenceBaseUrl), originOf(profile.gatewayUrl)]
      .filter((origin) => origin !== undefined)
      .join(" · "),
    picked: true,
    profile,
  }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Diagnose Connection"),
    placeHolder: vscode.l10n.t("Select profiles to diagnose"),
    canPickMany: true,
  });
  return (picked ?? []).map(({ profile }) => profile);
}
