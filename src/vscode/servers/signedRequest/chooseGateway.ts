import * as vscode from "vscode";
import { originOf } from "../../../core/kernel/httpAddress.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { Profiles } from "../../account/profiles/profiles.ts";
import { showInformationMessage, showQuickPick } from "../../shell/window.ts";
import { noIcons } from "../../../core/kernel/noIcons.ts";

/** The profile whose gateway is asked: the only one that has one, or the one that the user picks. */
export async function chooseGateway(profiles: Profiles): Promise<Profile | undefined> {
  const suitable = profiles.all.filter(({ gatewayUrl }) => gatewayUrl !== undefined);
  if (suitable.length === 0) {
    void showInformationMessage(vscode.l10n.t("No profile has a gateway URL to send the request to."));
    return undefined;
  }
  if (suitable.length === 1) return suitable[0];
  const items = suitable.map((profile) => ({
    label: noIcons(profile.name),
    description: originOf(profile.gatewayUrl) ?? "",
    detail: profile.name === profiles.active?.name ? vscode.l10n.t("in use") : "",
    profile,
  }));
  const title = vscode.l10n.t("Send Signed Request");
  const placeHolder = vscode.l10n.t("Select a gateway");
  return (await showQuickPick(items, { title, placeHolder }))?.profile;
}
