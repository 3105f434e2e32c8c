import * as vscode from "vscode";
import { sanitizeLabel, escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";
import type { ToolIdentity, ToolPermission } from "../../../core/responses/tools/toolPermissions.ts";
import { confirmRisk, showQuickPick } from "../../shell/window.ts";

/** The key of the open workspace in the stored permissions; empty without a workspace. */
export function workspaceKey(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join(" ");
}

/** A tool call that is waiting for the user. */
interface WaitingCall {
  readonly conversationId: string;
  readonly tool: ToolIdentity;
  /** As the model wrote them. */
  readonly arguments: string;
}

/**
 * When a VS Code dialog is required to run a tool once, in addition to the button in the chat: the setting
 * `chat.toolConfirmation`.
 */
type ToolConfirmation = "firstUse" | "always" | "chat";

/** UTF-16 code units of the arguments shown in a dialog. */
const longestArguments = 2_000;

/**
 * Asks about tools in dialogs that no page can confirm. A chat page is untrusted, so its button alone doesn't start a
 * tool that the user hasn't seen in a dialog. VS Code doesn't indicate which tools are read-only, so every tool is
 * treated as one that changes something. A dialog for each call would train people to confirm it unread. Therefore,
 * unless the setting says otherwise, only the first use of a tool in a conversation shows a dialog, and later calls
 * need only the button in the chat.
 */
export class ToolDialogs {
  readonly #policy: () => ToolConfirmation;
  /** Conversation and fingerprint of the tools that were confirmed in a dialog. */
  readonly #confirmed = new Set<string>();
  #isAsking = false;

  constructor(policy: () => ToolConfirmation) {
    this.#policy = policy;
  }

  /** Whether the user allows this. Only one dialog at a time, so a further request from the page is rejected. */
  async mayAllow(call: WaitingCall, scope: "once" | "conversation" | "always"): Promise<boolean> {
    const key = `${call.conversationId}\n${call.tool.fingerprint}`;
    const policy = this.#policy();
    if (scope === "once" && (policy === "chat" || (policy === "firstUse" && this.#confirmed.has(key)))) {
      return true;
    }
    if (this.#isAsking) return false;
    this.#isAsking = true;
    try {
      const isAllowed = await confirmRisk(
        scope === "once" ? onceQuestion(call) : longerQuestion(call, scope),
      );
      if (isAllowed) this.#confirmed.add(key);
      return isAllowed;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Makes every tool show a dialog again. */
  reset(): void {
    this.#confirmed.clear();
  }
}

type RiskyQuestion = Parameters<typeof confirmRisk>[0];

function onceQuestion({ tool, arguments: written }: WaitingCall): RiskyQuestion {
  const { text, isCut } = argumentsText(written, longestArguments);
  return {
    question: vscode.l10n.t("Run the tool {0}?", sanitizeLabel(tool.name, 100)),
    detail: vscode.l10n.t(
      "Provider: {0}\n\nThe arguments come from the model:\n{1}",
      providerLabel(tool),
      isCut ? `${text}…` : text,
    ),
    accept: vscode.l10n.t("Run Tool"),
    decline: vscode.l10n.t("Don't Run"),
  };
}

function longerQuestion({ tool }: WaitingCall, scope: "conversation" | "always"): RiskyQuestion {
  const name = sanitizeLabel(tool.name, 100);
  const about = vscode.l10n.t(
    "Provider: {0}\n\nThe arguments come from the model. If the tool changes, you'll be asked again.",
    providerLabel(tool),
  );
  const detail = tool.provider.startsWith("mcp:") ? `${about}\n\n${mcpNote()}` : about;
  const decline = vscode.l10n.t("Keep Asking");
  return scope === "always"
    ? {
        question: vscode.l10n.t("Allow {0} to run in this workspace without asking?", name),
        detail,
        accept: vscode.l10n.t("Always Allow in This Workspace"),
        decline,
      }
    : {
        question: vscode.l10n.t("Allow {0} to run in this conversation without asking?", name),
        detail,
        accept: vscode.l10n.t("Allow for This Conversation"),
        decline,
      };
}

/** What no permission of ours changes: VS Code doesn't reveal which tools of MCP servers it asks about. */
function mcpNote(): string {
  return vscode.l10n.t(
    "VS Code still asks before each call, unless the MCP server declares the tool as read-only or you approve it with “Chat: Manage Tool Approval”.",
  );
}

/** Lets the user clear permissions. Resolves with those that are kept; undefined if the user cancels. */
export async function pickPermissions(
  permissions: readonly ToolPermission[],
  workspace: string,
): Promise<readonly ToolPermission[] | undefined> {
  const items = permissions.map((permission) => ({
    label: escapeCodicons(sanitizeLabel(permission.name, 100)),
    description: providerLabel(permission),
    detail: scopeLabel(permission, workspace),
    picked: true,
    permission,
  }));
  const picked = await showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Tool Permissions"),
    placeHolder: vscode.l10n.t("These tools run without asking. Deselect the ones that should ask again."),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.map(({ permission }) => permission);
}

function providerLabel({ provider }: ToolIdentity): string {
  const label = sanitizeLabel(provider.replace(/^(?:extension|mcp|set):/, ""), 100);
  return label === "" ? vscode.l10n.t("Built-In") : label;
}

function scopeLabel({ scope }: ToolPermission, workspace: string): string {
  if (scope.kind === "conversation") return vscode.l10n.t("In one conversation");
  if (scope.workspace === workspace) return vscode.l10n.t("In this workspace");
  if (scope.workspace === "") return vscode.l10n.t("In windows without a workspace");
  return vscode.l10n.t("In another workspace: {0}", sanitizeLabel(scope.workspace, 300));
}
