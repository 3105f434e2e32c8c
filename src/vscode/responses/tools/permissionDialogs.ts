import * as vscode from "vscode";
import { sanitizeLabel, escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";
import type { ToolDecision } from "../../../core/responses/tools/liveCalls.ts";
import type { ToolIdentity, ToolPermission } from "../../../core/responses/tools/toolPermissions.ts";
import { askRisk, showQuickPick } from "../../shell/window.ts";

/** The key of the open workspace in the stored permissions; empty without a workspace. */
export function workspaceKey(): string {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return workspaceFile?.toString() ?? workspaceFolders.map(({ uri }) => uri.toString()).join(" ");
}

/** A tool call that is waiting for the user. */
export interface WaitingCall {
  readonly conversationId: string;
  readonly tool: ToolIdentity;
  /** As the model wrote them. */
  readonly arguments: string;
}

/**
 * When the decision to run a tool is made in a VS Code dialog and not with the button in the chat: the setting
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

  /** Whether the page's button isn't sufficient to run the tool once. */
  isRequired(call: WaitingCall): boolean {
    const policy = this.#policy();
    return policy === "always" || (policy === "firstUse" && !this.#confirmed.has(keyOf(call)));
  }

  /**
   * The user's decision; undefined if there is none. Only one dialog at a time, so a further request from the page has no
   * effect.
   * @param mayLast Whether later calls can be allowed as well.
   */
  async decide(call: WaitingCall, mayLast: boolean): Promise<ToolDecision | undefined> {
    if (this.#isAsking) return undefined;
    this.#isAsking = true;
    try {
      const decision = await askAboutTool(call, mayLast);
      if (decision !== undefined && decision !== "decline") this.#confirmed.add(keyOf(call));
      return decision;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Makes every tool show a dialog again. */
  reset(): void {
    this.#confirmed.clear();
  }
}

function keyOf({ conversationId, tool }: WaitingCall): string {
  return `${conversationId}\n${tool.fingerprint}`;
}

async function askAboutTool(
  { tool, arguments: written }: WaitingCall,
  mayLast: boolean,
): Promise<ToolDecision | undefined> {
  const { text, isCut } = argumentsText(written, longestArguments);
  const about = vscode.l10n.t(
    "Provider: {0}\n\nThe arguments come from the model:\n{1}",
    providerLabel(tool),
    isCut ? `${text}…` : text,
  );
  const limits = [
    vscode.l10n.t(
      "If you allow later calls, you'll still be asked about those that follow text you didn't type or change settings, and when the tool changes.",
    ),
    ...(tool.provider.startsWith("mcp:") ? [mcpNote()] : []),
  ];
  return await askRisk<ToolDecision>(
    vscode.l10n.t("Run the tool {0}?", sanitizeLabel(tool.name, 100)),
    [about, ...(mayLast ? limits : [])].join("\n\n"),
    {
      [vscode.l10n.t("Decline")]: "decline",
      [vscode.l10n.t("Allow Once")]: "once",
      ...(mayLast && {
        [vscode.l10n.t("Allow for This Conversation")]: "conversation",
        [vscode.l10n.t("Always Allow in This Workspace")]: "always",
      }),
    },
  );
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
