import * as vscode from "vscode";
import { groupBySenses } from "../../core/compose/attachments/modalities.ts";
import type { Modality } from "../../core/compose/attachments/modalities.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { ModelCatalog } from "../../core/conversation/modelCatalog.ts";
import { noIcons } from "../../core/kernel/noIcons.ts";
import { showQuickPick, showWarningMessage, withProgress } from "../shell/window.ts";

/** Asks for a model of the catalogue, those with these senses first; says so when there is none to be had. */
export async function selectModel(
  session: ChatSession,
  catalog: ModelCatalog,
  modalities: readonly Modality[] = [],
): Promise<void> {
  const models = await loadModels(catalog);
  const model = models.length === 0 ? undefined : await pickModel(models, session.state.model, modalities);
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
  const old = session.state.find(messageId)?.model ?? session.state.model;
  const model = models.length === 0 ? undefined : await pickModel(models, old);
  if (model === undefined) return;
  if (session.state.find(messageId)?.status === "streaming") session.stop(messageId);
  if (session.state.isStreaming) return;
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

/** Asks for one of the models, those with these senses first; undefined when the user turns away. */
async function pickModel(
  models: readonly Model[],
  selected: string | undefined,
  modalities: readonly Modality[] = [],
): Promise<string | undefined> {
  const toItem = (model: Model): ModelItem => ({
    label: noIcons(model.id),
    description: model.id === selected ? vscode.l10n.t("in use") : "",
    detail: describeModel(model),
    model: model.id,
  });
  const items = modalities.length === 0 ? models.map(toItem) : groupModels(models, modalities, toItem);
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Select Model"),
    placeHolder: vscode.l10n.t("Model for this conversation"),
    matchOnDetail: true,
  });
  return picked?.model;
}

interface ModelItem extends vscode.QuickPickItem {
  /** Absent for the line between two groups. */
  readonly model?: string;
}

function groupModels(
  models: readonly Model[],
  modalities: readonly Modality[],
  toItem: (model: Model) => ModelItem,
): readonly ModelItem[] {
  const { can, unknown, cannot } = groupBySenses(models, modalities);
  const group = (label: string, members: readonly Model[]): readonly ModelItem[] =>
    members.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...members.map(toItem)];
  return [
    ...group(vscode.l10n.t("support the attachments"), can),
    ...group(vscode.l10n.t("unknown"), unknown),
    ...group(vscode.l10n.t("don't support the attachments"), cannot),
  ];
}

function describeModel(model: Model): string {
  const facts = [
    model.name !== undefined && model.name !== model.id ? model.name : undefined,
    model.supportsImages === true ? vscode.l10n.t("image input") : undefined,
    model.supportsAudio === true ? vscode.l10n.t("audio input") : undefined,
    model.contextLength === undefined
      ? undefined
      : vscode.l10n.t("{0}-token context", model.contextLength.toLocaleString(vscode.env.language)),
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}
