import type { Locator } from "playwright-core";
import { exactly } from "./quickInput.ts";
import type { Workbench } from "./workbench.ts";

/** Chooses an entry of the menu that the right button opens on a row; submenus come before the entry. */
export async function chooseInMenu(workbench: Workbench, row: Locator, ...path: string[]): Promise<void> {
  const [first = ""] = path;
  for (let attempt = 0; attempt < 5; attempt++) {
    await row.click({ button: "right" });
    // A row that is drawn again just then gets no menu.
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

/**
 * Presses an entry of the open menu, or of its submenus. By keys: a menu that has just come takes no clicks yet, and a
 * submenu that the mouse opens later takes the focus from the one that the keys have opened.
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
  // A submenu is drawn inside the entry that opens it: the innermost is meant.
  return page.locator(".monaco-menu .action-item").filter({ has: label }).last();
}
