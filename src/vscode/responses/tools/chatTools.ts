import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { ToolPort } from "../../../core/conversation/toolPort.ts";
import { escapeCodicons, sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import type { PageMessage } from "../../../core/panel/protocol.ts";
import type { SchemaValidator } from "../../../core/responses/structured/responseCheck.ts";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";
import { LiveCalls } from "../../../core/responses/tools/liveCalls.ts";
import { ToolBox } from "../../../core/responses/tools/toolBox.ts";
import type { EditorTools } from "../../../core/responses/tools/toolBox.ts";
import {
  contributedTools,
  toolChoices,
  wireNames,
  toolProvider,
} from "../../../core/responses/tools/toolChoices.ts";
import type { SelectableTool } from "../../../core/responses/tools/toolChoices.ts";
import { ToolPermissions } from "../../../core/responses/tools/toolPermissions.ts";
import type {
  ToolPermissionStore,
  ToolIdentity,
  ToolPermission,
} from "../../../core/responses/tools/toolPermissions.ts";
import type { LiveCall, ToolDecision, ToolsView } from "../../../core/responses/tools/liveCalls.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { sha256Hex } from "../../shell/digest.ts";
import { TextDocuments } from "../../shell/textDocuments.ts";
import { inertItem, showConfirmation, askRisk, showQuickPick } from "../../shell/window.ts";
import { readResourceLinks } from "./resourceLinks.ts";
import { notifyHiddenCalls } from "./waitingCalls.ts";
import type { ShownConversations } from "./waitingCalls.ts";

/** The key of the open workspace in the stored permissions; empty without a workspace. */
function workspaceKey(): string {
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
class ToolDialogs {
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
async function pickPermissions(
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

function scopeLabel({ scope: { kind, id } }: ToolPermission, workspace: string): string {
  if (kind === "conversation") return vscode.l10n.t("In one conversation");
  if (id === workspace) return vscode.l10n.t("In this workspace");
  if (id === "") return vscode.l10n.t("In windows without a workspace");
  return vscode.l10n.t("In another workspace: {0}", sanitizeLabel(id, 300));
}

/** VS Code's tool registry: built-in tools, those of other extensions and of MCP servers. */
const editorTools: EditorTools = {
  list: () => vscode.lm.tools,
  identify(name) {
    const tool = vscode.lm.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) return undefined;
    const manifests = vscode.extensions.all.map(({ packageJSON }): unknown => packageJSON);
    const provider = toolProvider(tool, manifests.flatMap(contributedTools));
    const about = sha256Hex(JSON.stringify([provider, name, tool.description]));
    const input = sha256Hex(JSON.stringify(tool.inputSchema ?? null));
    return { name, provider, fingerprint: `${about} ${input}` };
  },
  invoke(name, input) {
    const cancellation = new vscode.CancellationTokenSource();
    const invoke = async (): ReturnType<EditorTools["invoke"]>["result"] => {
      try {
        const options = { toolInvocationToken: undefined, input };
        // Newer versions also have `hasError`, which isn't in the API yet.
        const result: vscode.LanguageModelToolResult & { readonly hasError?: unknown } =
          await vscode.lm.invokeTool(name, options, cancellation.token);
        return { content: await readResourceLinks(result.content), isError: result.hasError === true };
      } finally {
        cancellation.dispose();
      }
    };
    return { result: invoke(), stop: () => cancellation.cancel() };
  },
  async isInWorkspace(path) {
    const file = resolveInWorkspace(path);
    if (file === undefined) return false;
    return await vscode.workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
  },
};

/** The address of a path in the workspace; undefined for any other text. */
function resolveInWorkspace(path: string): vscode.Uri | undefined {
  if (/[\n\0]|:\/\//.test(path)) return undefined;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) return undefined;
  const isAbsolute = /^(?:[\\/]|[a-z]:[\\/])/i.test(path);
  const file = isAbsolute
    ? folder.uri.with({ path: vscode.Uri.file(path).path })
    : vscode.Uri.joinPath(folder.uri, path);
  return vscode.workspace.getWorkspaceFolder(file) === undefined ? undefined : file;
}

/** Shows the whole of a text that was truncated in the page, as a read-only document. */
class WholeTexts implements vscode.Disposable {
  readonly #documents = new TextDocuments("inference-gateway-tool");

  /** @param id Distinguishes the text from others with the same name. */
  async show(name: string, id: string, text: string): Promise<void> {
    const uri = this.#documents.create(`${name}.${looksLikeJson(text) ? "json" : "txt"}`, id, text);
    await vscode.window.showTextDocument(uri, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}

interface ChatToolsContext {
  readonly permissions: ToolPermissionStore;
  readonly validator: SchemaValidator;
  shown(): ShownConversations;
  reportError(error: unknown): void;
}

/** The tools of all conversations: chosen, confirmed and run. */
export class ChatTools implements vscode.Disposable {
  readonly port: ToolPort;
  readonly #live = new LiveCalls();
  readonly #texts = new WholeTexts();
  readonly #permissions: ToolPermissions;

  readonly #hiddenCalls: vscode.Disposable;
  readonly #dialogs = new ToolDialogs(chatSettings.toolConfirmation);

  constructor({ permissions, validator, shown, reportError }: ChatToolsContext) {
    this.#permissions = new ToolPermissions({ store: permissions, workspace: workspaceKey });
    this.#hiddenCalls = notifyHiddenCalls(this.#live, shown);
    this.port = new ToolBox({
      tools: editorTools,
      validator,
      permissions: this.#permissions,
      live: this.#live,
      now: () => performance.now(),
      encodeBase64: (data) => Buffer.from(data).toString("base64"),
      reportError,
    });
  }

  /** Asks which tools the conversation can use. */
  async select(session: ChatSession): Promise<void> {
    const { tools: old = [], ...rest } = session.state.settings;
    const tools = await pickTools(old);
    if (tools !== undefined) session.changeSettings(tools.length === 0 ? rest : { ...rest, tools });
  }

  /** Applies the user's decision on a call that waits for it. */
  async answer(
    session: ChatSession,
    { messageId, callId, answer }: PageMessage<"toolAnswer">,
  ): Promise<void> {
    const decide = (decision: ToolDecision): void =>
      this.#live.answer(session.id, messageId, callId, decision);
    if (answer === "decline") return decide(answer);
    const live = this.#live
      .of(session.id)
      .find((call) => call.messageId === messageId && call.callId === callId && call.state === "confirming");
    const waiting = live && waitingCall(session, live);
    if (waiting === undefined) return;
    if (answer === "once" && !this.#dialogs.isRequired(waiting)) return decide(answer);
    const reason = live?.concern?.reason;
    const decision = await this.#dialogs.decide(waiting, reason === undefined || reason === "changed");
    if (decision !== undefined) decide(decision);
  }

  /** Shows all of a call's arguments. */
  async openArguments(session: ChatSession, messageId: string, callId: string): Promise<void> {
    const call = session.state.find(messageId)?.toolCalls.find(({ id }) => id === callId);
    if (call === undefined) return;
    const { text } = argumentsText(call.arguments, longestDocument);
    await this.#texts.show(vscode.l10n.t("Arguments for {0}", call.name), `${messageId} ${callId}`, text);
  }

  /** Shows what tools may do without asking. Tools that the user clears ask again, and so does each one's first use. */
  async managePermissions(): Promise<void> {
    this.#dialogs.reset();
    const granted = await this.#permissions.list();
    if (granted.length === 0) {
      showConfirmation(vscode.l10n.t("All tools already ask for confirmation."));
      return;
    }
    const kept = await pickPermissions(granted, workspaceKey());
    if (kept === undefined) return;
    const revoked = granted.filter((permission) => !kept.includes(permission));
    if (revoked.length > 0) await this.#permissions.revoke(revoked);
  }

  /** Shows the complete result of a call. */
  async openResult({ id, text }: Message): Promise<void> {
    await this.#texts.show(vscode.l10n.t("Tool result"), id, text);
  }

  dispose(): void {
    this.#texts.dispose();
    this.#hiddenCalls.dispose();
  }

  /** Sends a page the running and waiting calls, now and after every change. */
  watch(session: ChatSession, show: (view: ToolsView) => void): vscode.Disposable {
    const notify = (): void => show(this.#view(session));
    const stopListening = this.#live.onDidChange((conversationId) => {
      if (conversationId === session.id) notify();
    });
    const unsubscribe = session.subscribe((event) => {
      if (event.type === "streaming" && !event.isStreaming) notify();
    });
    notify();
    return vscode.Disposable.from({ dispose: stopListening }, { dispose: unsubscribe });
  }

  /** Shows the complete arguments of a call. */
  #view(session: ChatSession): ToolsView {
    const { limitedId: messageId } = session.state;
    const calls = this.#live.of(session.id).map((live) => {
      const waiting = live.state === "confirming" ? waitingCall(session, live) : undefined;
      const needsDialog = waiting !== undefined && this.#dialogs.isRequired(waiting);
      return needsDialog ? { ...live, needsDialog } : live;
    });
    return messageId === undefined
      ? { calls }
      : { calls, limit: { messageId, rounds: chatSettings.maxToolRounds() } };
  }
}

function waitingCall(session: ChatSession, { messageId, callId }: LiveCall): WaitingCall | undefined {
  const call = session.state.find(messageId)?.toolCalls.find(({ id }) => id === callId);
  const name = call && wireNames(session.state.settings.tools ?? []).get(call.name);
  const tool = name === undefined ? undefined : editorTools.identify(name);
  if (call === undefined || tool === undefined) return undefined;
  return { conversationId: session.id, tool, arguments: call.arguments };
}

/** UTF-16 units. */
const longestDocument = 20_000_000;

type ToolItem = vscode.QuickPickItem & { readonly tool?: string };

/** Asks which tools the conversation can use. Undefined if the user cancels or there are no tools. */
async function pickTools(selected: readonly string[]): Promise<readonly string[] | undefined> {
  const manifests = vscode.extensions.all.map(({ packageJSON }): unknown => packageJSON);
  const choices = toolChoices(vscode.lm.tools, manifests.flatMap(contributedTools));
  if (choices.length === 0 && selected.length === 0) {
    showConfirmation(
      vscode.l10n.t("No tools are available. They are provided by extensions and MCP servers."),
    );
    return undefined;
  }
  return await showPick(createItems(choices, selected), selected);
}

async function showPick(
  items: readonly ToolItem[],
  selected: readonly string[],
): Promise<readonly string[] | undefined> {
  const pick = vscode.window.createQuickPick<ToolItem>();
  pick.title = vscode.l10n.t("Tools in This Conversation");
  pick.placeholder = vscode.l10n.t("The model can call these tools; you confirm each call");
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = items.map(inertItem);
  pick.selectedItems = pick.items.filter(({ tool }) => tool !== undefined && selected.includes(tool));
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => {
        resolve(pick.selectedItems.flatMap(({ tool }) => tool ?? []));
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** The selected tools first, then all of them grouped by source. */
function createItems(choices: readonly SelectableTool[], selected: readonly string[]): readonly ToolItem[] {
  const chosen = choices.filter(({ name }) => selected.includes(name));
  const sources = [...new Set(choices.map(({ source }) => source))];
  const separate = (label: string): ToolItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  // Tools of an extension that is currently missing stay selected until the user removes them, because it may return.
  const gone = selected.filter((name) => !choices.some((choice) => choice.name === name));
  const notThere = gone.map((name) => ({ label: escapeCodicons(name), tool: name }));
  return [
    ...(chosen.length === 0 ? [] : [separate(vscode.l10n.t("Selected")), ...chosen.map(createItem)]),
    ...sources.flatMap((source) => {
      const others = choices.filter((choice) => choice.source === source && !chosen.includes(choice));
      const label = source === "" ? vscode.l10n.t("Built-In") : escapeCodicons(source);
      return others.length === 0 ? [] : [separate(label), ...others.map(createItem)];
    }),
    ...(gone.length === 0 ? [] : [separate(vscode.l10n.t("Unavailable")), ...notThere]),
  ];
}

function createItem({ name, title, description, icon }: SelectableTool): ToolItem {
  return {
    label: escapeCodicons(title),
    iconPath: new vscode.ThemeIcon(icon),
    detail: description,
    tool: name,
  };
}
