import * as vscode from "vscode";
import { groupBySenses } from "../../core/compose/attachments/senses.ts";
import type { Sense } from "../../core/compose/attachments/senses.ts";
import type { Model } from "../../core/conversation/completion.ts";
import { showQuickPick } from "../shell/window.ts";
import { noIcons } from "../../core/kernel/noIcons.ts";

/** Asks for one of the models, those with these senses first; undefined when the user turns away. */
export async function pickModel(
  models: readonly Model[],
  selected: string | undefined,
  senses: readonly Sense[] = [],
): Promise<string | undefined> {
  const toItem = (model: Model): ModelItem => ({
    label: noIcons(model.id),
    description: model.id === selected ? vscode.l10n.t("in use") : "",
    detail: describeModel(model),
    model: model.id,
  });
  const items = senses.length === 0 ? models.map(toItem) : groupModels(models, senses, toItem);
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
  senses: readonly Sense[],
  toItem: (model: Model) => ModelItem,
): readonly ModelItem[] {
  const { can, unknown, cannot } = groupBySenses(models, senses);
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
    model.seesPictures === true ? vscode.l10n.t("image input") : undefined,
    model.hearsAudio === true ? vscode.l10n.t("audio input") : undefined,
    model.contextLength === undefined
      ? undefined
      : vscode.l10n.t("{0}-token context", model.contextLength.toLocaleString(vscode.env.language)),
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}
