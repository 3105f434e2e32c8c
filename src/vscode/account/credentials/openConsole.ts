import * as vscode from "vscode";
import { credentialKinds } from "../../../core/account/credentialKinds.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import { openLink } from "../../shell/openLink.ts";
import { showConfirmation } from "../../shell/window.ts";

/** Opens the console and names the place where keys are created (interface sections 5.1 and 5.3). */
export async function openConsole(
  profile: Pick<Profile, "consoleUrl"> | undefined,
  kind: SecretKind = "apiKey",
): Promise<void> {
  if (profile?.consoleUrl === undefined) {
    showConfirmation(vscode.l10n.t("The profile has no console URL. Add “consoleUrl” to the profile."));
    return;
  }
  await openLink(profile.consoleUrl);
  showConfirmation(vscode.l10n.t("In the console: {0}", consolePath(kind) ?? ""));
}

/** Where the console creates this kind of credential; undefined for tokens, which are issued elsewhere. */
export function consolePath(kind: SecretKind): string | undefined {
  if (credentialKinds[kind].lifetime !== "key") return undefined;
  return kind === "apiKey"
    ? vscode.l10n.t("Models › API Keys")
    : vscode.l10n.t("Account › API Keys › Create API Key");
}

/** The button for inputs and lists that need a key; none for tokens, and without a console URL. */
export function createKeyButtons(
  profile: Pick<Profile, "consoleUrl">,
  kind: SecretKind,
): readonly vscode.QuickInputButton[] {
  if (profile.consoleUrl === undefined || consolePath(kind) === undefined) return [];
  return [{ iconPath: new vscode.ThemeIcon("link-external"), tooltip: vscode.l10n.t("Create a Key…") }];
}
