import * as vscode from "vscode";
import type { ModelCatalog } from "../../core/modelCatalog.ts";
import type { ChatPanel } from "./chatPanel.ts";
import { pickModel } from "./quickPicks.ts";

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
