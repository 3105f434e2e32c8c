import * as vscode from "vscode";
import type { Draft } from "../../core/conversation/conversationStore.ts";
import type { DraftStore } from "../../core/conversation/conversationStore.ts";
import { showInformationMessage } from "../shell/window.ts";

/** UTF-16 units of a draft that are shown to identify it. */
const shownLength = 60;

/**
 * Says which drafts other windows have left beside the one that a composer shows, and calls `show` when the user has
 * chosen one: it is the one of the composer then, and the present one is kept in its place.
 */
export async function offerOtherDrafts(
  conversationId: string,
  store: DraftStore,
  show: () => void,
): Promise<void> {
  for (const { windowId, draft } of store.otherDrafts(conversationId)) {
    const [use, discard] = [vscode.l10n.t("Show Draft"), vscode.l10n.t("Discard Draft")];
    const words = vscode.l10n.t(
      "Another window has left a different draft in this conversation: “{0}”",
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
