import * as vscode from "vscode";
import type { ConversationStore } from "../../../core/conversation/conversationStore.ts";
import { SendGate } from "../../../core/compose/send/sendGate.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { SecretFinder } from "./secretFinder.ts";
import type { SecretFinderContext } from "./secretFinder.ts";
import { readSpending } from "./spending.ts";

/** The gate before sending, by the user's settings. */
export function createSendGate(
  context: SecretFinderContext,
  openStore: () => Promise<ConversationStore>,
): SendGate {
  const secrets = new SecretFinder(context);
  return new SendGate({
    secretGuard: chatSettings.secretGuard,
    whenTooLong: chatSettings.whenTooLong,
    prepare: () => secrets.prepare(),
    findSecrets: (text) => secrets.find(text),
    readBudget: () => readSpending(openStore),
    locale: vscode.env.language,
  });
}
