import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import type { Draft, DraftStore } from "../../core/conversation/conversationStore.ts";
import { changePresets } from "../../core/panel/settings/chatPreferences.ts";
import type { PresetChange } from "../../core/panel/settings/chatPreferences.ts";
import type { SettingsRequest } from "../../core/panel/settings/settingsForm.ts";
import { showInformationMessage } from "../shell/window.ts";

/** UTF-16 code units of a draft that are shown to identify it. */
const shownLength = 60;

/**
 * Reports which drafts other windows have left in this conversation, and calls `show` when the user has chosen one. It
 * replaces the composer's draft, which is kept in its place.
 */
export async function offerOtherDrafts(
  conversationId: string,
  store: DraftStore,
  show: () => void,
): Promise<void> {
  for (const { windowId, draft } of store.otherDrafts(conversationId)) {
    const [use, discard] = [vscode.l10n.t("Show Draft"), vscode.l10n.t("Discard Draft")];
    const words = vscode.l10n.t(
      "Another window has a different draft for this conversation: “{0}”",
      excerptOf(draft),
    );
    const picked = await showInformationMessage(words, use, discard);
    if (picked === discard) store.dropOtherDraft(conversationId, windowId);
    if (picked !== use) continue;
    store.takeOtherDraft(conversationId, windowId);
    return show();
  }
}

function excerptOf({ text }: Draft): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line === "") return vscode.l10n.t("attachments without text");
  return line.length > shownLength ? `${line.slice(0, shownLength)}…` : line;
}

interface PresetChanges {
  /** Asks in a VS Code dialog, because presets outlast the page and later chats start with them. */
  confirm(change: PresetChange): Promise<boolean>;
  /** Sends the page the current presets, because it may have shown a change that was declined. */
  showAgain(): void;
}

/** Handles a request from the settings form. */
export async function runSettingsRequest(
  session: ChatSession,
  request: SettingsRequest,
  { confirm, showAgain }: PresetChanges,
): Promise<void> {
  if (request.type === "changeSettings") session.changeSettings(withTools(session, request.settings));
  else if (await confirm(request.change)) await writePresets(request.change);
  else showAgain();
}

/** Tools can only be selected in a VS Code list: a page can't give a model more of them. */
function withTools(session: ChatSession, settings: ConversationSettings): ConversationSettings {
  const { tools } = session.state.settings;
  if (tools !== undefined) return { ...settings, tools };
  return settings.tools === undefined ? settings : { ...settings, tools: [] };
}

/** Writes to the user's settings. Pages are notified as for any other change. */
async function writePresets(change: PresetChange): Promise<void> {
  const chat = vscode.workspace.getConfiguration("inferenceGateway.chat");
  const { Global } = vscode.ConfigurationTarget;
  if (change.type === "default") return chat.update("defaultPreset", change.name, Global);
  await chat.update("presets", changePresets(chat.get("presets"), change), Global);
}
