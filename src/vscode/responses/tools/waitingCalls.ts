import * as vscode from "vscode";
import type { LiveCall, LiveCalls } from "../../../core/responses/tools/liveCalls.ts";
import { showInformationMessage } from "../../shell/window.ts";

/** The places where conversations are shown. */
export interface ShownConversations {
  /** Whether the message is visible, and not only another version of it. */
  isVisible(conversationId: string, messageId: string): boolean;
  /** Shows the message. */
  open(conversationId: string, messageId: string): Promise<unknown>;
  /** Called when the calls of the conversation have changed. */
  noteWaiting(conversationId: string, isWaiting: boolean): void;
}

/** Notifies once for each call that is waiting while its chat is hidden or closed. */
export function notifyHiddenCalls(live: LiveCalls, shown: () => ShownConversations): vscode.Disposable {
  const notified = new Set<string>();
  const stopListening = live.onDidChange((conversationId) => {
    const waiting = live.of(conversationId).filter(({ state }) => state === "confirming");
    const keyOf = ({ messageId, callId }: LiveCall): string => `${messageId}\n${callId}`;
    const [fresh] = waiting.filter((call) => !notified.has(keyOf(call)));
    for (const call of waiting) notified.add(keyOf(call));
    const conversations = shown();
    if (fresh !== undefined || waiting.length === 0)
      conversations.noteWaiting(conversationId, waiting.length > 0);
    if (fresh !== undefined && !conversations.isVisible(conversationId, fresh.messageId))
      void notifyWaiting(conversationId, fresh.messageId, shown);
  });
  return { dispose: stopListening };
}

async function notifyWaiting(
  conversationId: string,
  messageId: string,
  shown: () => ShownConversations,
): Promise<void> {
  const show = vscode.l10n.t("Show Chat");
  const words = vscode.l10n.t(
    "A tool is waiting for your confirmation in a chat or version that isn't visible.",
  );
  if ((await showInformationMessage(words, show)) === show) await shown().open(conversationId, messageId);
}
