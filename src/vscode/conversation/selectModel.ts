import * as vscode from "vscode";
import { describeModalities, groupByModalities } from "../../core/compose/attachments/modalities.ts";
import { adaptationLabel } from "../../core/conversation/adaptations.ts";
import type { Adaptation, LearnedAdaptation } from "../../core/conversation/adaptations.ts";
import type { Modality, Model } from "../../core/conversation/completion.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { CatalogState } from "../../core/conversation/modelCatalog.ts";
import { describePrice } from "../../core/conversation/prices.ts";
import { formatDate, formatNumber } from "../../core/kernel/formatTime.ts";
import { escapeCodicons, sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { hasNoModelList, readModelName } from "../../core/panel/modelSelection.ts";
import { chatSettings } from "./chatSettings.ts";
import { showInputBox, showQuickPick, withProgress } from "../shell/window.ts";

/** The models of the active profile. */
export interface ModelSource {
  /** The name of the profile, because two may offer models with the same ID. */
  readonly profileName: string;
  /** Loads the list unless it is already known. Includes the names that the user has typed. */
  load(): Promise<CatalogState>;
  /** Called when the user has typed a model name, which is offered from then on. */
  rememberTyped(model: string): void;
  /** What the model has rejected and isn't sent anymore. */
  learned(model: string): readonly LearnedAdaptation[];
  forget(model: string, adaptations: readonly Adaptation[]): void;
}

/** Asks for a model in the catalog, listing those that support these modalities first. */
export async function selectModel(
  session: ChatSession,
  source: ModelSource,
  modalities: readonly Modality[],
): Promise<void> {
  const offered = await loadModels(source);
  const model = await pickModel(offered, session.state.model, source, modalities);
  if (model !== undefined) session.selectModel(model);
}

/**
 * Asks for a model, then requests another version of the response from it. If the old response is still in progress, it
 * is stopped. The conversation continues with the new one.
 */
export async function askOtherModel(
  session: ChatSession,
  messageId: string,
  source: ModelSource,
): Promise<void> {
  const offered = await loadModels(source);
  const old = session.state.find(messageId)?.model ?? session.state.model;
  const model = await pickModel(offered, old, source);
  if (model !== undefined) await session.continueWith(messageId, model);
}

/** The active profile's models, and the names that the user has typed for it. */
export function loadModels(source: ModelSource): Promise<CatalogState> {
  return withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Loading models…") },
    () => source.load(),
  );
}

/** The list entry that opens `enterModel`. */
export function enterModelItem(): vscode.QuickPickItem {
  return { label: `$(edit) ${vscode.l10n.t("Enter Model Name…")}`, alwaysShow: true };
}

/** Asks for the name of a model that the service doesn't list. Undefined if the user cancels. */
export async function enterModel(source: Pick<ModelSource, "rememberTyped">): Promise<string | undefined> {
  const text = await showInputBox({
    title: vscode.l10n.t("Enter Model Name"),
    prompt: vscode.l10n.t("Model name, as the service expects it in requests"),
    placeHolder: "organization/model-name",
    ignoreFocusOut: true,
    validateInput: (value) =>
      readModelName(value) === undefined ? vscode.l10n.t("Enter the name of a model.") : undefined,
  });
  const model = text === undefined ? undefined : readModelName(text);
  if (model !== undefined) source.rememberTyped(model);
  return model;
}

/**
 * Asks for one of the models, listing those that support these modalities first, or for the name of a different one.
 * Undefined if the user cancels.
 */
export async function pickModel(
  offered: CatalogState,
  selected: string | undefined,
  source: ModelSource,
  modalities: readonly Modality[] = [],
  purpose = vscode.l10n.t("Model for this conversation"),
): Promise<string | undefined> {
  const { models } = offered;
  const toItem = (model: Model): ModelItem => ({
    label: escapeCodicons(model.id),
    description: model.id === selected ? vscode.l10n.t("in use") : "",
    detail: describeModel(model, source.learned(model.id)),
    model: model.id,
  });
  const items = modalities.length === 0 ? models.map(toItem) : groupModels(models, modalities, toItem);
  const enter: ModelItem = enterModelItem();
  const forget: ModelItem = { label: `$(discard) ${vscode.l10n.t("Forget Rejections…")}`, alwaysShow: true };
  const hasLearned = models.some(({ id }) => source.learned(id).length > 0);
  const picked = await showQuickPick([...items, enter, ...(hasLearned ? [forget] : [])], {
    title: pickerTitle(vscode.l10n.t("Select Model"), source),
    placeHolder: whyNone(offered) ?? purpose,
    matchOnDetail: true,
  });
  if (picked === forget) {
    await forgetRejections(models, source);
    return pickModel(offered, selected, source, modalities, purpose);
  }
  return picked === enter ? enterModel(source) : picked?.model;
}

/** The title of a list of models, with the profile that they belong to. */
export function pickerTitle(title: string, { profileName }: ModelSource): string {
  return profileName === "" ? title : `${title} · ${sanitizeLabel(profileName, 60)}`;
}

/** Lists what each model has rejected, with the server's words. The selected entries are sent again. */
async function forgetRejections(models: readonly Model[], source: ModelSource): Promise<void> {
  const items = models.flatMap(({ id }) =>
    source.learned(id).map(({ adaptation, at, words }) => ({
      ...{ label: escapeCodicons(id), model: id, adaptation },
      description: vscode.l10n.t("sent without {0}", adaptationLabel(adaptation)),
      detail: [formatDate(at), words].filter((fact) => fact !== "").join(" · "),
    })),
  );
  const picked = await showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Forget Rejections"),
    placeHolder: vscode.l10n.t("Select what the next requests should include again"),
  });
  for (const { model, adaptation } of picked ?? []) source.forget(model, [adaptation]);
}

/** Why the service offers no models; undefined if it does. */
function whyNone(offered: CatalogState): string | undefined {
  if (offered.models.length > 0) return undefined;
  return offered.state === "failed" && !hasNoModelList(offered.error)
    ? offered.error.message
    : vscode.l10n.t("The inference service lists no chat models.");
}

interface ModelItem extends vscode.QuickPickItem {
  /** Absent for separators and for the entry that asks for a different name. */
  readonly model?: string;
}

function groupModels(
  models: readonly Model[],
  modalities: readonly Modality[],
  toItem: (model: Model) => ModelItem,
): readonly ModelItem[] {
  const { can, unknown, cannot } = groupByModalities(models, modalities);
  const group = (label: string, members: readonly Model[]): readonly ModelItem[] =>
    members.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...members.map(toItem)];
  return [
    ...group(vscode.l10n.t("support the attachments"), can),
    ...group(vscode.l10n.t("unknown"), unknown),
    ...group(vscode.l10n.t("don't support the attachments"), cannot),
  ];
}

/** What is known about a model, in one line. */
export function describeModel(model: Model, learned: readonly LearnedAdaptation[]): string {
  const facts = [
    model.name !== undefined && model.name !== model.id ? model.name : undefined,
    ...describeModalities(model),
    model.contextLength === undefined
      ? undefined
      : vscode.l10n.t("{0}-token context", formatNumber(model.contextLength)),
    describePrice(model, chatSettings.chatPreferences().prices, vscode.env.language)?.sentence,
    learned.length === 0
      ? undefined
      : vscode.l10n.t(
          "sent without {0}",
          learned.map(({ adaptation }) => adaptationLabel(adaptation)).join(", "),
        ),
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}
