import * as vscode from "vscode";
import { noIcons } from "../../../core/kernel/noIcons.ts";
import { plainText } from "../../../core/kernel/plainText.ts";
import type { ToolIdentity, ToolPermission } from "../../../core/responses/tools/toolPermissions.ts";
import { showQuickPick, showWarningMessage } from "../../shell/window.ts";

/** The workspace that is open now, as permissions know it; empty without one. */
export function workspaceKey(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join(" ");
}

/** Asks, where no page can answer, whether a tool may run from now on without asking. */
export async function mayAllow(tool: ToolIdentity, scope: "conversation" | "always"): Promise<boolean> {
  const name = plainText(tool.name, 100);
  const button =
    scope === "always"
      ? vscode.l10n.t("Always Allow in This Workspace")
      : vscode.l10n.t("Allow for This Conversation");
  const question =
    scope === "always"
      ? vscode.l10n.t("Let {0} run in this workspace without asking?", name)
      : vscode.l10n.t("Let {0} run in this conversation without asking?", name);
  const detail = vscode.l10n.t(
    "Provider: {0}\n\nIts arguments come from the model. If the tool changes, you are asked again.",
    providerLabel(tool),
  );
  return (await showWarningMessage(question, { modal: true, detail }, button)) === button;
}

/** Lets the user clear permissions; resolves with those that are kept, undefined if the user cancels. */
export async function pickPermissions(
  permissions: readonly ToolPermission[],
  workspace: string,
): Promise<readonly ToolPermission[] | undefined> {
  const items = permissions.map((permission) => ({
    label: noIcons(plainText(permission.name, 100)),
    description: providerLabel(permission),
    detail: scopeLabel(permission, workspace),
    picked: true,
    permission,
  }));
  const picked = await showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Tool Permissions"),
    placeHolder: vscode.l10n.t("These run without asking. Clear the ones that should ask again."),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.map(({ permission }) => permission);
}

function providerLabel({ provider }: ToolIdentity): string {
  const label = plainText(provider.replace(/^(?:extension|mcp|set):/, ""), 100);
  return label === "" ? vscode.l10n.t("Built In") : label;
}

function scopeLabel({ scope }: ToolPermission, workspace: string): string {
  if (scope.kind === "conversation") return vscode.l10n.t("In one conversation");
  if (scope.workspace === workspace) return vscode.l10n.t("In this workspace");
  if (scope.workspace === "") return vscode.l10n.t("In windows without a workspace");
  return vscode.l10n.t("In another workspace: {0}", plainText(scope.workspace, 300));
}
