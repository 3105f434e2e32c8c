import * as vscode from "vscode";
import type { ConversationSummary } from "../../core/conversation.ts";
import type { ModelCatalog } from "../../core/modelCatalog.ts";
import { commandIds } from "../commandIds.ts";
import type { ChatPanel } from "./chatPanel.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { pickConversation, pickModel } from "./quickPicks.ts";

export interface ChatCommandContext {
  readonly panels: ChatPanels;
  readonly catalog: ModelCatalog;
  listConversations(): Promise<readonly ConversationSummary[]>;
  /** Stops whatever answer is under way when no panel is open. */
  stopAll(): void;
}

/** Registers what the palette offers for the chat. */
export function registerChatCommands(context: ChatCommandContext): vscode.Disposable {
  const { panels } = context;
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.newChat, async () => {
      await panels.openNew();
    }),
    vscode.commands.registerCommand(commandIds.openConversation, async () => {
      const id = await pickConversation(await context.listConversations());
      if (id !== undefined) await panels.open(id);
    }),
    vscode.commands.registerCommand(commandIds.selectModel, async () => {
      await selectModel(panels.active ?? (await panels.openNew()), context.catalog);
    }),
    vscode.commands.registerCommand(commandIds.stop, () => {
      const active = panels.active;
      if (active?.session.isStreaming === true) active.session.stop();
      else context.stopAll();
    }),
  );
}

/** Asks for a model of the catalogue, loading it first; says so when it can't be had. */
export async function selectModel(panel: ChatPanel, catalog: ModelCatalog): Promise<void> {
  const state = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Loading models…") },
    () => catalog.ensure(),
  );
  if (state.models.length > 0) {
    const model = await pickModel(state.models, panel.session.model);
    if (model !== undefined) panel.session.selectModel(model);
    return;
  }
  const message =
    state.state === "failed"
      ? state.error.message
      : vscode.l10n.t("The inference service offers no models to chat with.");
  void vscode.window.showWarningMessage(message);
}
