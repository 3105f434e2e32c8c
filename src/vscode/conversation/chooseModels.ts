import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import type { ModelCatalog } from "../../core/conversation/modelCatalog.ts";
import { loadModels } from "./selectModel.ts";
import { showInformationMessage, showQuickPick } from "../shell/window.ts";
import { noIcons } from "../../core/kernel/noIcons.ts";

/**
 * Asks for the models that are to answer the draft, or the user's last message where the draft is empty. Undefined
 * where the user turns away, and where there is nothing to answer, which is said.
 */
export async function chooseModels(
  session: ChatSession,
  draft: Draft,
  catalog: ModelCatalog,
): Promise<readonly string[] | undefined> {
  const isEmpty = draft.text.trim() === "" && draft.attachments.length === 0;
  if (isEmpty && !session.messages.some(({ role }) => role === "user"))
    return refuse(vscode.l10n.t("Enter a message first. The selected models will answer it side by side."));
  const models = await loadModels(catalog);
  const chosen = models.length === 0 ? undefined : await pickModels(models, session);
  if (chosen === undefined || chosen.length > 1) return chosen;
  return refuse(vscode.l10n.t("Choose at least two models to compare."));
}

/** Those of the last comparison are chosen already, else the conversation's own. */
async function pickModels(
  models: readonly Model[],
  session: ChatSession,
): Promise<readonly string[] | undefined> {
  const before = session.comparison.flatMap((id) => session.find(id)?.model ?? []);
  const chosen = before.length > 0 ? before : [session.model];
  const items = models.map(({ id, name }) => ({
    label: noIcons(id),
    id,
    description: name === undefined || name === id ? "" : name,
    picked: chosen.includes(id),
  }));
  const picked = await showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t("Compare Models"),
    placeHolder: vscode.l10n.t("Select models to compare"),
    matchOnDescription: true,
  });
  return picked?.map(({ id }) => id);
}

function refuse(sentence: string): undefined {
  void showInformationMessage(sentence);
}
