import type { Locator } from "playwright-core";
import { exactly } from "./quickInput.ts";
import type { Workbench } from "./workbench.ts";

/** Chooses an entry of the menu that the right button opens on a row; submenus come before the entry. */
export async function chooseInMenu(workbench: Workbench, row: Locator, ...path: string[]): Promise<void> {
  const [first = ""] = path;
  for (let attempt = 0; attempt < 5; attempt++) {
    await row.click({ button: "right" });
    // A row that is drawn anew just then gets no menu.
    const isThere = await entryOf(workbench, first)
      .waitFor({ timeout: 5_000 })
      .then(
        () => true,
        () => false,
      );
    if (isThere) return pressEntry(workbench, ...path);
  }
  throw new Error(`No menu offers “${path.join(" > ")}”.`);
}

/** A menu that has just come takes no clicks for this long, in milliseconds. */
const deafMs = 500;

/**
 * Presses an entry of the open menu, or of its submenus. By keys where there is no submenu; one that the mouse has opened
 * has no focus of its own, so its entries are clicked.
 */
export async function pressEntry(workbench: Workbench, ...path: string[]): Promise<void> {
  const { page } = workbench;
  for (const [index, entry] of path.entries()) {
    const item = entryOf(workbench, entry);
    await item.hover();
    if (index === 0) await item.and(page.locator(".focused")).waitFor();
    if (index < path.length - 1) continue;
    if (index === 0) await page.keyboard.press("Enter");
    else {
      await page.waitForTimeout(deafMs);
      await item.click();
    }
    await item.waitFor({ state: "hidden" });
  }
}

function entryOf({ page }: Workbench, entry: string): Locator {
  const label = page.locator(".action-label").filter({ hasText: exactly(entry) });
  return page.locator(".monaco-menu .action-item").filter({ has: label }).first();
}
