import type { Locator } from "playwright-core";
import type { Workbench } from "./workbench.ts";

/** The notification with this text, as it stands in the list of notifications. */
export function notification(workbench: Workbench, text: string): Locator {
  return workbench.page
    .locator(".notifications-center .notification-list-item")
    .filter({ hasText: text })
    .first();
}

/** The test driver keeps notifications from popping up: their list is opened until this one stands in it. */
export async function waitForNotification(workbench: Workbench, text: string): Promise<Locator> {
  const found = notification(workbench, text);
  for (const deadline = Date.now() + 40_000; ;) {
    // An empty list closes by itself, and opens no more for what comes a moment later.
    await workbench.runCommand("Notifications: Show Notifications");
    const isThere = await found.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
    if (isThere) return found;
    if (Date.now() > deadline) throw new Error(`There is no notification “${text}”.`);
  }
}
