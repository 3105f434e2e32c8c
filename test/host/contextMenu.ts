import type { Locator } from "playwright-core";
import { exactly } from "./quickInput.ts";
import type { Workbench } from "./workbench.ts";

/** A person can't choose the same entry again as fast as this, which counts as a double click, in milliseconds. */
const doubleClickMs = 600;

let last = { entry: "", at: 0 };

/** Chooses an entry in a row's context menu. Submenus come before the entry. */
export async function chooseInMenu(workbench: Workbench, row: Locator, ...path: string[]): Promise<void> {
  const [first = ""] = path;
  const entry = path.join(" > ");
  const left = last.entry === entry ? last.at + doubleClickMs - Date.now() : 0;
  if (left > 0) await workbench.page.waitForTimeout(left);
  for (let attempt = 0; attempt < 5; attempt++) {
    await row.click({ button: "right" });
    // A row that is redrawn at that moment doesn't get a menu.
    const isThere = await entryOf(workbench, first)
      .waitFor({ timeout: 5_000 })
      .then(
        () => true,
        () => false,
      );
    if (isThere) {
      await pressEntry(workbench, ...path);
      last = { entry, at: Date.now() };
      return;
    }
    // What the row offers may change only now.
    await workbench.page.keyboard.press("Escape");
  }
  throw new Error(`No menu offers “${entry}”.`);
}

/**
 * Activates an entry of the open menu or its submenus by keyboard: a menu that has just opened doesn't accept clicks
 * yet, and a submenu that the mouse opens later takes the focus from the one opened by keyboard.
 */
export async function pressEntry(workbench: Workbench, ...path: string[]): Promise<void> {
  const { page } = workbench;
  for (const [index, entry] of path.entries()) {
    const item = entryOf(workbench, entry);
    const focused = item.and(page.locator(".focused"));
    await item.waitFor();
    for (let step = 0; step < 40 && (await focused.count()) === 0; step++) {
      await page.keyboard.press("ArrowDown");
    }
    await focused.waitFor();
    if (index < path.length - 1) await page.keyboard.press("ArrowRight");
    else {
      await page.keyboard.press("Enter");
      await item.waitFor({ state: "hidden" });
    }
  }
}

function entryOf({ page }: Workbench, entry: string): Locator {
  const label = page.locator(".action-label").filter({ hasText: exactly(entry) });
  // A submenu is inside the entry that opens it, so the innermost one is used.
  return page.locator(".monaco-menu .action-item").filter({ has: label }).last();
}
