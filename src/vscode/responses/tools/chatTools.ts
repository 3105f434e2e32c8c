import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { SchemaValidator } from "../../../core/responses/structured/answerCheck.ts";
import type { ToolPort } from "../../../core/conversation/toolPort.ts";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";
import { LiveCalls } from "../../../core/responses/tools/liveCalls.ts";
import { ToolBox } from "../../../core/responses/tools/toolBox.ts";
import { wireNames } from "../../../core/responses/tools/toolNames.ts";
import { ToolPermissions } from "../../../core/responses/tools/toolPermissions.ts";
import type { ToolPermissionStore } from "../../../core/responses/tools/toolPermissions.ts";
import type { ToolMessage } from "../../../core/responses/tools/toolProtocol.ts";
import type { ToolsView } from "../../../core/responses/tools/toolsView.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { editorTools } from "./editorTools.ts";
import { mayAllow, pickPermissions, workspaceKey } from "./permissionDialogs.ts";
import { pickTools } from "./pickTools.ts";
import { tellOfHiddenCalls } from "./waitingCalls.ts";
import type { ShownConversations } from "./waitingCalls.ts";
import { WholeTexts } from "./wholeTexts.ts";
import { showInformationMessage } from "../../shell/window.ts";

export interface ChatToolsContext {
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
  readonly #reportError: (error: unknown) => void;
  #isAsking = false;
  #hasNoticed = false;

  constructor({ permissions, validator, shown, reportError }: ChatToolsContext) {
    this.#permissions = new ToolPermissions({
      store: permissions,
      workspace: workspaceKey,
      onDropped: () => this.#noticeDropped(),
    });
    this.#reportError = reportError;
    this.#hiddenCalls = tellOfHiddenCalls(this.#live, shown);
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

  /** Asks for the tools of a conversation. */
  async select(session: ChatSession): Promise<void> {
    const { tools: old = [], ...rest } = session.settings;
    const tools = await pickTools(old);
    if (tools !== undefined) session.changeSettings(tools.length === 0 ? rest : { ...rest, tools });
  }

  /** Every tool asks again before it runs. */
  async resetConfirmations(): Promise<void> {
    const count = await this.#permissions.reset();
    void showInformationMessage(
      count === 0
        ? vscode.l10n.t("All tools already ask for confirmation.")
        : vscode.l10n.t("All tools will ask for confirmation again."),
    );
  }

  /** Does what a page asks for one call. */
  handle(session: ChatSession, message: ToolMessage): void {
    const { messageId, callId } = message;
    if (message.type === "openToolArguments") this.#openArguments(session, messageId, callId);
    else if (message.answer === "once" || message.answer === "decline")
      this.#live.answer(session.id, messageId, callId, message.answer);
    else
      this.#allowLonger(session, messageId, callId, message.answer).catch((error: unknown) =>
        this.#reportError(error),
      );
  }

  /** Shows what tools may do without asking; what the user clears asks again. */
  async managePermissions(): Promise<void> {
    const granted = this.#permissions.list();
    if (granted.length === 0) {
      void showInformationMessage(vscode.l10n.t("All tools already ask for confirmation."));
      return;
    }
    const kept = await pickPermissions(granted, workspaceKey());
    if (kept === undefined) return;
    const revoked = granted.filter((permission) => !kept.includes(permission));
    if (revoked.length > 0) await this.#permissions.revoke(revoked);
  }

  /** A permission for more than one call is given in a dialog of VS Code: a page can't press its button. */
  async #allowLonger(
    session: ChatSession,
    messageId: string,
    callId: string,
    answer: "conversation" | "always",
  ): Promise<void> {
    const call = session.find(messageId)?.toolCalls.find(({ id }) => id === callId);
    const name = call && wireNames(session.settings.tools ?? []).get(call.name);
    const tool = name === undefined ? undefined : editorTools.identify(name);
    if (tool === undefined || this.#isAsking) return;
    this.#isAsking = true;
    try {
      if (await mayAllow(tool, answer)) this.#live.answer(session.id, messageId, callId, answer);
    } finally {
      this.#isAsking = false;
    }
  }

  #noticeDropped(): void {
    if (this.#hasNoticed) return;
    this.#hasNoticed = true;
    void showInformationMessage(
      vscode.l10n.t(
        "Tools ask for permission again: permissions are now limited to the tool's provider and to one workspace or conversation.",
      ),
    );
  }

  /** Shows the result of a call, whole. */
  async openResult({ id, text }: Message): Promise<void> {
    await this.#texts.show(vscode.l10n.t("Result of a tool"), id, text);
  }

  dispose(): void {
    this.#texts.dispose();
    this.#hiddenCalls.dispose();
  }

  /** Tells a page what runs and waits, now and with every change. */
  watch(session: ChatSession, show: (view: ToolsView) => void): vscode.Disposable {
    const tell = (): void => show(this.#view(session));
    const stopListening = this.#live.onDidChange((conversationId) => {
      if (conversationId === session.id) tell();
    });
    const unsubscribe = session.subscribe((event) => {
      if (event.type === "streaming" && !event.isStreaming) tell();
    });
    tell();
    return vscode.Disposable.from({ dispose: stopListening }, { dispose: unsubscribe });
  }

  /** Shows the arguments of a call, whole. */
  #openArguments(session: ChatSession, messageId: string, callId: string): void {
    const call = session.find(messageId)?.toolCalls.find(({ id }) => id === callId);
    if (call === undefined) return;
    const { text } = argumentsText(call.arguments, longestDocument);
    void this.#texts.show(vscode.l10n.t("Arguments for {0}", call.name), `${messageId} ${callId}`, text);
  }

  #view(session: ChatSession): ToolsView {
    const { id, limitedId: messageId } = session;
    const calls = this.#live.of(id);
    return messageId === undefined
      ? { calls }
      : { calls, limit: { messageId, rounds: chatSettings.maxToolRounds() } };
  }
}

/** UTF-16 units. */
const longestDocument = 20_000_000;
