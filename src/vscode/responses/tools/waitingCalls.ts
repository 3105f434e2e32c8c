import * as vscode from "vscode";
import type { LiveCalls } from "../../../core/responses/tools/liveCalls.ts";
import { showInformationMessage } from "../../shell/window.ts";

/** The places where conversations are shown. */
export interface ShownConversations {
  isVisible(conversationId: string): boolean;
  /** Shows the conversation. */
  open(conversationId: string): Promise<unknown>;
  /** Called when the calls of the conversation have changed. */
  noteWaiting(conversationId: string, isWaiting: boolean): void;
}

/** Notifies once for each call that is waiting while its chat is hidden or closed. */
export function notifyHiddenCalls(live: LiveCalls, shown: () => ShownConversations): vscode.Disposable {
  const notified = new Set<string>();
  const stopListening = live.onDidChange((conversationId) => {
    const waiting = live.of(conversationId).filter(({ state }) => state === "confirming");
    const fresh = waiting
      .map(({ messageId, callId }) => `${messageId}\n${callId}`)
      .filter((call) => !notified.has(call));
    for (const call of fresh) notified.add(call);
    const conversations = shown();
    if (fresh.length > 0 || waiting.length === 0)
      conversations.noteWaiting(conversationId, waiting.length > 0);
    if (fresh.length > 0 && !conversations.isVisible(conversationId))
      void notifyWaiting(conversationId, shown);
  });
  return { dispose: stopListening };
}

async function notifyWaiting(conversationId: string, shown: () => ShownConversations): Promise<void> {
  const show = vscode.l10n.t("Show Chat");
  const words = vscode.l10n.t("A tool is waiting for your confirmation in a chat that isn't visible.");
  if ((await showInformationMessage(words, show)) === show) await shown().open(conversationId);
}
