import type { ConversationStore } from "../../../core/conversation/conversationStore.ts";
import type { SendGateContext } from "../../../core/compose/send/sendGate.ts";
import { localDay, sumTotals } from "../../../core/conversation/usageTotals.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";

/** The budget of the settings with what this month's stored answers cost; undefined where no budget is set. */
export async function readSpending(
  openStore: () => Promise<ConversationStore>,
): ReturnType<SendGateContext["readBudget"]> {
  const budget = chatSettings.budget();
  if (budget === undefined) return undefined;
  const now = new Date();
  const since = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
  const month = (await openStore()).readUsage({ since });
  const today = localDay(now.getTime());
  const { prices } = chatSettings.chatPreferences();
  const day = month.filter((total) => total.day === today);
  return { budget, spent: { day: sumTotals(day, prices).costs, month: sumTotals(month, prices).costs } };
}
