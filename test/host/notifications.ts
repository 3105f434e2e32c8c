import type { Locator } from "playwright-core";
import type { Workbench } from "./workbench.ts";

/** How long to wait for a notification, in milliseconds. */
const patienceMs = 120_000;

/** The notification with this text in the list of notifications. */
export function notification(workbench: Workbench, text: string): Locator {
  return workbench.page
    .locator(".notifications-center .notification-list-item")
    .filter({ hasText: text })
    .first();
}

/**
 * The test driver suppresses notification pop-ups, so their list is opened until it contains this one. One that an
 * earlier step has left counts, too: wait for a text that only the last step can have shown.
 */
export async function waitForNotification(workbench: Workbench, text: string): Promise<Locator> {
  const found = notification(workbench, text);
  if (await found.isVisible()) return found;
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    await showNotifications(workbench);
    if (await comes(found, 2_000)) return found;
  }
  throw new Error(`There is no notification “${text}”.`);
}

/** Waits for a confirmation in the status bar, or finds it if it was shown since the last one was found. */
export async function waitForStatus({ page }: Workbench, text: string): Promise<void> {
  const wasShown = `(() => {
    const shown = shownStatuses.findLast((status) => status.includes(${JSON.stringify(text)}));
    // What the status bar shows now counts again.
    if (shown !== undefined) shownStatuses.splice(0, shownStatuses.length - 1);
    return shown !== undefined;
  })()`;
  await page.waitForFunction(wasShown, undefined, { polling: 100 });
}

/** Presses a button of the notification with this text once it is there. */
export async function answerNotification(workbench: Workbench, text: string, button: string): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ;) {
    const found = await waitForNotification(workbench, text);
    try {
      // The list closes and is drawn again whenever another notification disappears or arrives.
      return await found.getByRole("button", { name: button, exact: true }).click({ timeout: 10_000 });
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/**
 * Opens the list of notifications with the bell, with the newest at the top. If it is already open, it is closed first:
 * otherwise it would keep its scroll position, and a new notification above the visible part wouldn't be drawn.
 */
export async function showNotifications(workbench: Workbench): Promise<void> {
  const list = workbench.page.locator(".notifications-center.visible");
  const bell = workbench.page.locator(".part.statusbar .statusbar-item[id='status.notifications']");
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    // It may close by itself at any time when the last notification disappears. The bell then opens it.
    const wasOpen = await list.isVisible();
    await bell.click({ timeout: 10_000 }).catch(() => undefined);
    // The tooltip of the bell would cover the buttons of the notification above it.
    await workbench.page.mouse.move(600, 10);
    if (wasOpen) await list.waitFor({ state: "hidden", timeout: 3_000 }).catch(() => undefined);
    else if (await comes(list, 3_000)) return;
  }
  throw new Error("The list of notifications did not open.");
}

/** Closes the list without changing the notifications. */
export async function hideNotifications(workbench: Workbench): Promise<void> {
  await workbench.runCommand("Notifications: Hide Notifications");
  await workbench.page.locator(".notifications-center.visible").waitFor({ state: "hidden" });
}

function comes(locator: Locator, timeout: number): Promise<boolean> {
  return locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );
}
