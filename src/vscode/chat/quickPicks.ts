import * as vscode from "vscode";
import type { Model } from "../../core/completion.ts";
import type { ConversationSummary } from "../../core/conversation.ts";

/** Asks for one of the models; undefined when the user turns away. */
export async function pickModel(
  models: readonly Model[],
  selected: string | undefined,
): Promise<string | undefined> {
  const items = models.map((model) => ({
    label: model.id,
    description: model.id === selected ? vscode.l10n.t("in use") : "",
    detail: describeModel(model),
    model: model.id,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Select Model"),
    placeHolder: vscode.l10n.t("Model for this conversation"),
    matchOnDetail: true,
  });
  return picked?.model;
}

function describeModel(model: Model): string {
  const facts = [
    model.name !== undefined && model.name !== model.id ? model.name : undefined,
    model.seesPictures === true ? vscode.l10n.t("sees pictures") : undefined,
    model.hearsAudio === true ? vscode.l10n.t("hears audio") : undefined,
    model.contextLength === undefined
      ? undefined
      : vscode.l10n.t("{0} tokens of context", model.contextLength.toLocaleString(vscode.env.language)),
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}

/** Asks for one of the stored conversations, the newest first. */
export async function pickConversation(
  conversations: readonly ConversationSummary[],
): Promise<string | undefined> {
  const items = conversations.map((conversation) => ({
    label: conversation.title,
    description: new Date(conversation.updatedAt).toLocaleString(vscode.env.language),
    conversation: conversation.id,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Open Conversation"),
    placeHolder: vscode.l10n.t("Search by title"),
    matchOnDescription: true,
  });
  return picked?.conversation;
}
