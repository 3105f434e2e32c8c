import * as vscode from "vscode";
import type { AgentToolResult } from "../../core/agentTools/runTool.ts";
import { escapeCodicons, sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { allowedClients, consentKey } from "../../core/agentTools/readConsent.ts";
import { isToolName } from "../../core/agentTools/toolNames.ts";
import {
  mcpConfiguration,
  isTranslocated,
  mcpConfigurationForms,
  removeLauncher,
  writeLauncher,
} from "../../processes/agentTools/launcher.ts";
import type { LauncherCommand, McpConfigurationForm } from "../../processes/agentTools/launcher.ts";
import { ToolServer } from "../../processes/agentTools/toolServer.ts";
import { setStatusBarMessage, showConfirmation, showQuickPick, showWarningMessage } from "../shell/window.ts";
import type { AgentTools, AgentToolsContext } from "./agentTools.ts";

/** Whether agents outside VS Code may call the tools, in all windows. */
export interface AgentSharing {
  readonly isOn: boolean;
  set(isOn: boolean): Promise<void>;
}

/**
 * The tools for MCP clients. Each client starts a process that only passes calls on to this window through a local
 * socket, so that no credential ever leaves the extension.
 */
export class McpAccess implements vscode.Disposable {
  readonly #context: AgentToolsContext;
  readonly #tools: () => Promise<AgentTools>;
  readonly #focus: vscode.Disposable;
  readonly #sharing: AgentSharing;
  #sharedServer: ToolServer | undefined;

  constructor(context: AgentToolsContext, sharing: AgentSharing, tools: () => Promise<AgentTools>) {
    this.#context = context;
    this.#sharing = sharing;
    this.#tools = tools;
    this.#focus = vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) this.#sharedServer?.noteUse();
    });
  }

  /** Accepts calls of agents outside of VS Code, and updates what they start. */
  share(): LauncherCommand {
    this.#sharedServer ??= new ToolServer({
      folder: this.#folder,
      call: async (...call) =>
        this.#sharing.isOn
          ? this.#call(...call)
          : { text: "The user has disconnected agents outside VS Code.", isError: true },
    });
    return writeLauncher({
      folder: this.#folder,
      script: this.#script,
      version: this.#context.version,
      program: process.execPath,
      platform: process.platform,
    });
  }

  /** Offers to copy the configuration for another agent, or to withdraw what was allowed. */
  async connectAgents(): Promise<void> {
    const { workspaceState } = this.#context;
    const allowed = allowedClients(workspaceState.get<unknown>(consentKey));
    const picked = await showQuickPick(
      [
        ...mcpConfigurationForms.map((form) => ({
          label: copyLabel(form),
          description: forms[form].content,
          run: () => this.#copy(form),
        })),
        ...(this.#sharing.isOn
          ? [{ label: vscode.l10n.t("Disconnect Agents Outside VS Code"), run: () => this.#disconnect() }]
          : []),
        ...(allowed.length > 0
          ? [
              {
                label: vscode.l10n.t("Ask Again Before Agents Search Conversations in This Workspace"),
                description: escapeCodicons(sanitizeLabel(allowed.join(", "), 120)),
                run: () => this.#withdraw(),
              },
            ]
          : []),
      ],
      {
        title: vscode.l10n.t("Connect Agents"),
        placeHolder: vscode.l10n.t(
          "Select what to copy. It contains no secrets, and agents can't change anything",
        ),
      },
    );
    await picked?.run();
  }

  dispose(): void {
    this.#focus.dispose();
    this.#sharedServer?.close();
  }

  async #copy(form: McpConfigurationForm): Promise<void> {
    if (isTranslocated(process.execPath)) {
      void showWarningMessage(
        vscode.l10n.t(
          "macOS runs VS Code from a temporary place, which agents can't find again. Move VS Code to the Applications folder, open it there, and try again.",
        ),
      );
      return;
    }
    await this.#sharing.set(true);
    const command = this.share();
    await vscode.env.clipboard.writeText(mcpConfiguration(form, command, process.platform));
    setStatusBarMessage(
      vscode.l10n.t("MCP configuration copied. Agents can use it while VS Code is open."),
      8_000,
    );
  }

  async #disconnect(): Promise<void> {
    await this.#sharing.set(false);
    this.#sharedServer?.close();
    this.#sharedServer = undefined;
    removeLauncher(this.#folder);
    showConfirmation(vscode.l10n.t("Agents outside VS Code are disconnected."));
  }

  async #withdraw(): Promise<void> {
    await this.#context.workspaceState.update(consentKey, undefined);
    showConfirmation(vscode.l10n.t("Agents need your permission again to search conversations."));
  }

  async #call(name: string, input: unknown, client: string, signal: AbortSignal): Promise<AgentToolResult> {
    if (!isToolName(name))
      return { text: "This version of Inference Gateway doesn't have the tool.", isError: true };
    return (await this.#tools()).run(name, input, { surface: "mcp", client }, signal);
  }

  get #folder(): string {
    return vscode.Uri.joinPath(this.#context.storageUri, "agentTools").fsPath;
  }

  get #script(): string {
    return vscode.Uri.joinPath(this.#context.extensionUri, "dist", "mcpServer.js").fsPath;
  }
}

/** The agent that reads the form, if it isn't most of them, and what is copied. */
const forms: Readonly<Record<McpConfigurationForm, { readonly agent?: string; readonly content: string }>> = {
  json: { content: "mcpServers (JSON)" },
  claude: { agent: "Claude Code", content: "claude mcp add …" },
  codex: { agent: "Codex", content: "config.toml" },
  vscode: { agent: "VS Code", content: "servers (mcp.json)" },
  zed: { agent: "Zed", content: "context_servers (settings.json)" },
  opencode: { agent: "opencode", content: "mcp.servers (opencode.json)" },
};

function copyLabel(form: McpConfigurationForm): string {
  const { agent } = forms[form];
  if (agent === undefined) return vscode.l10n.t("Copy MCP Configuration");
  return form === "claude"
    ? vscode.l10n.t("Copy Command for {0}", agent)
    : vscode.l10n.t("Copy MCP Configuration for {0}", agent);
}
