import type { Locator } from "playwright-core";
import { exactly } from "./quickInput.ts";
import type { Workbench } from "./workbench.ts";

/** Chooses an entry of the menu that the right button opens on a row. */
export async function chooseInMenu(workbench: Workbench, row: Locator, entry: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    await row.click({ button: "right" });
    // A row that is drawn anew just then gets no menu.
    const isThere = await entryOf(workbench, entry)
      .waitFor({ timeout: 5_000 })
      .then(
        () => true,
        () => false,
      );
    if (isThere) return pressEntry(workbench, entry);
  }
  throw new Error(`No menu offers “${entry}”.`);
}

/** Presses an entry of the menu that is open. By keys: a menu that has just come takes no clicks yet. */
export async function pressEntry(workbench: Workbench, entry: string): Promise<void> {
  const { page } = workbench;
  const item = entryOf(workbench, entry);
  await item.hover();
  await item.and(page.locator(".focused")).waitFor();
  await page.keyboard.press("Enter");
  await item.waitFor({ state: "hidden" });
}

function entryOf({ page }: Workbench, entry: string): Locator {
  const label = page.locator(".action-label").filter({ hasText: exactly(entry) });
  return page.locator(".monaco-menu .action-item").filter({ has: label }).first();
}
