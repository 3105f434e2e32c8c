import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import type { Draft, DraftStore } from "../../core/conversation/conversationStore.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import type { PageMessage } from "../../core/panel/protocol.ts";
import { changePresets } from "../../core/panel/settings/chatPreferences.ts";
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
    if (picked === discard) store.save({ type: "dropDraft", conversationId, windowId });
    if (picked !== use) continue;
    store.save({ type: "takeDraft", conversationId, windowId });
    return show();
  }
}

function excerptOf({ text }: Draft): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line === "") return vscode.l10n.t("attachments without text");
  return line.length > shownLength ? `${line.slice(0, shownLength)}…` : line;
}

/** Tools can only be selected in a VS Code list: a page can't give a model more of them. */
export function withoutNewTools(session: ChatSession, settings: ConversationSettings): ConversationSettings {
  const { tools } = session.state.settings;
  if (tools !== undefined) return { ...settings, tools };
  return settings.tools === undefined ? settings : { ...settings, tools: [] };
}

/** Asks in a VS Code dialog, because presets outlast the page and later chats start with them. */
type Confirm = (question: string, accept: string, detail?: string) => Promise<boolean>;

/** Saves the settings as a preset if the user agrees. */
export async function savePreset(
  { name, settings }: PageMessage<"savePreset">,
  confirm: Confirm,
): Promise<void> {
  const { systemPrompt = "", parameters = {} } = settings;
  const lines = [systemPrompt, JSON.stringify(parameters, undefined, 2)].filter((line) => line !== "");
  const question = vscode.l10n.t("Save the preset “{0}” in your settings?", sanitizeLabel(name, 100));
  if (!(await confirm(question, vscode.l10n.t("Save Preset"), lines.join("\n\n")))) return;
  await writeSetting("presets", (written) => changePresets(written, name, settings));
}

/** Deletes the preset if the user agrees. */
export async function deletePreset(name: string, confirm: Confirm): Promise<void> {
  const question = vscode.l10n.t("Delete the preset “{0}” from your settings?", sanitizeLabel(name, 100));
  if (!(await confirm(question, vscode.l10n.t("Delete Preset")))) return;
  await writeSetting("presets", (written) => changePresets(written, name));
}

/** Has new chats start with this preset, or without one, if the user agrees. */
export async function setDefaultPreset(name: string | undefined, confirm: Confirm): Promise<void> {
  const question =
    name === undefined
      ? vscode.l10n.t("Start new chats without a preset?")
      : vscode.l10n.t("Start new chats with the preset “{0}”?", sanitizeLabel(name, 100));
  if (await confirm(question, vscode.l10n.t("Change Default")))
    await writeSetting("defaultPreset", () => name);
}

async function writeSetting(setting: string, change: (written: unknown) => unknown): Promise<void> {
  const chat = vscode.workspace.getConfiguration("inferenceGateway.chat");
  await chat.update(setting, change(chat.get(setting)), vscode.ConfigurationTarget.Global);
}
