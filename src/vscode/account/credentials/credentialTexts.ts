import * as vscode from "vscode";
import type { SecretKind } from "../../../core/kernel/credential.ts";

/** The kind of secret as commands and messages name it. */
export function kindLabel(kind: SecretKind): string {
  const labels = {
    apiKey: vscode.l10n.t("API Key"),
    accessKey: vscode.l10n.t("Access Key"),
    sessionToken: vscode.l10n.t("Session Token"),
    stsToken: vscode.l10n.t("STS Token"),
  };
  return labels[kind];
}
