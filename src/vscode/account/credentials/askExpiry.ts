import * as vscode from "vscode";
import { parseExpiry } from "../../../core/account/parseExpiry.ts";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import { showInputBox } from "../../shell/window.ts";
import { credentialKinds } from "../../../core/account/credentialKinds.ts";

/** Asks for the expiry of a token that doesn't contain it. Undefined if the user cancels. */
export async function askExpiry(
  kind: SecretKind,
  profileName: string,
): Promise<{ readonly expiresAt: number | undefined } | undefined> {
  const text = await showInputBox({
    title: vscode.l10n.t("When does the {0} for “{1}” expire?", credentialKinds[kind].noun(), profileName),
    prompt: vscode.l10n.t("A duration or a time. Leave empty if unknown."),
    placeHolder: vscode.l10n.t("55m, 14:30 or 2026-11-21 14:30"),
    ignoreFocusOut: true,
    validateInput(value) {
      if (value.trim() === "") return undefined;
      const reading = parseExpiry(value, Date.now());
      return "problem" in reading ? reading.problem : undefined;
    },
  });
  if (text === undefined) return undefined;
  const reading = parseExpiry(text, Date.now());
  return { expiresAt: "expiresAt" in reading ? reading.expiresAt : undefined };
}
