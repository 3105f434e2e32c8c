import * as vscode from "vscode";

/** What looked, and from where: the network of a remote machine is another one. */
export function environmentWords(version: string): readonly string[] {
  const place =
    vscode.env.remoteName === undefined
      ? vscode.l10n.t("run from this machine")
      : vscode.l10n.t("run from the remote machine");
  return [
    `Inference Gateway ${version}`,
    `VS Code ${vscode.version}`,
    `${process.platform} ${process.arch}, Node.js ${process.versions.node}`,
    place,
  ];
}
