import * as vscode from "vscode";
import type { Sense } from "../../core/attachments/senses.ts";
import type { ChatSession } from "../../core/chatSession.ts";
import type { ModelCatalog } from "../../core/modelCatalog.ts";
import { pickModel } from "./quickPicks.ts";

/** Asks for a model of the catalogue, those with these senses first; says so when there is none to be had. */
export async function selectModel(
  session: ChatSession,
  catalog: ModelCatalog,
  senses: readonly Sense[] = [],
): Promise<void> {
  const state = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Loading models…") },
    () => catalog.ensure(),
  );
  if (state.models.length > 0) {
    const model = await pickModel(state.models, session.model, senses);
    if (model !== undefined) session.selectModel(model);
    return;
  }
  const message =
    state.state === "failed"
      ? state.error.message
      : vscode.l10n.t("The inference service offers no models to chat with.");
  void vscode.window.showWarningMessage(message);
}
