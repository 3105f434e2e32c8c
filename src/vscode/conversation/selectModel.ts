import * as vscode from "vscode";
import type { Sense } from "../../core/compose/attachments/senses.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { ModelCatalog } from "../../core/conversation/modelCatalog.ts";
import { pickModel } from "./quickPicks.ts";
import { showWarningMessage, withProgress } from "../shell/window.ts";

/** Asks for a model of the catalogue, those with these senses first; says so when there is none to be had. */
export async function selectModel(
  session: ChatSession,
  catalog: ModelCatalog,
  senses: readonly Sense[] = [],
): Promise<void> {
  const models = await loadModels(catalog);
  const model = models.length === 0 ? undefined : await pickModel(models, session.model, senses);
  if (model !== undefined) session.selectModel(model);
}

/**
 * Asks for a model and then it for another version of the answer, which is stopped where it is still awaited. The
 * conversation goes on with it.
 */
export async function askOtherModel(
  session: ChatSession,
  messageId: string,
  catalog: ModelCatalog,
): Promise<void> {
  const models = await loadModels(catalog);
  const old = session.find(messageId)?.model ?? session.model;
  const model = models.length === 0 ? undefined : await pickModel(models, old);
  if (model === undefined) return;
  if (session.find(messageId)?.status === "streaming") session.stop(messageId);
  if (session.isStreaming) return;
  session.selectModel(model);
  session.regenerate(messageId, model);
}

/** The models of the catalogue; says why where there are none. */
export async function loadModels(catalog: ModelCatalog): Promise<readonly Model[]> {
  const state = await withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Loading models…") },
    () => catalog.ensure(),
  );
  if (state.models.length > 0) return state.models;
  const message =
    state.state === "failed"
      ? state.error.message
      : vscode.l10n.t("The inference service offers no models to chat with.");
  void showWarningMessage(message);
  return [];
}
