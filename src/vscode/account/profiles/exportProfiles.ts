import * as vscode from "vscode";
import { localGatewayProfileName } from "../../../core/account/localGateway/localGateway.ts";
import { formatProfiles } from "../../../core/account/profileFile.ts";
import type { CredentialContext } from "../credentials/checkCredential.ts";
import { exportFolder } from "../../shell/ownMachine.ts";
import { showErrorMessage, showInformationMessage } from "../../shell/window.ts";

/** Writes all profiles to a file, without any secrets, and without that of the local gateway of this machine. */
export async function exportProfiles({ profiles, redaction }: CredentialContext): Promise<void> {
  const exported = profiles.all.filter(({ name }) => name !== localGatewayProfileName);
  const text = formatProfiles(exported);
  // A profile can only contain a secret by mistake, such as a key pasted into a different header.
  if (redaction.find(text).length > 0) {
    void showErrorMessage(
      vscode.l10n.t(
        "Nothing was exported: the settings of a profile contain one of your stored secrets. Remove it from the settings.",
      ),
    );
    return;
  }
  const name = "inference-gateway-profiles.json";
  const uri = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Export Profiles"),
    filters: { JSON: ["json"] },
    defaultUri: vscode.Uri.joinPath(exportFolder(), name),
  });
  if (uri === undefined) return;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const open = vscode.l10n.t("Open");
  const message = vscode.l10n.t(
    "Exported without secrets: {0}.",
    exported.map(({ name }) => name).join(", "),
  );
  if ((await showInformationMessage(message, open)) === open) {
    await vscode.window.showTextDocument(uri);
  }
}
