import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Workbench } from "../host/workbench.ts";
import type { PictureTheme } from "./themes.ts";

/** Changes the theme as a user would, and waits until the window uses it. */
export async function wearTheme(workbench: Workbench, { title, className }: PictureTheme): Promise<void> {
  await workbench.runCommand("Preferences: Color Theme");
  await workbench.page.getByPlaceholder(/Color Theme/).waitFor();
  await workbench.quickInput.input.fill(title);
  await workbench.quickInput.pick(title);
  await workbench.page.locator(`.monaco-workbench.${className}`).waitFor();
}

/** An image of the whole window. */
export async function takeWindow(workbench: Workbench, folder: string, name: string): Promise<void> {
  await settle(workbench);
  await workbench.screenshot(join(folder, `${name}.png`));
}

/** An image of the side bar from its top to the last row of the servers. */
export async function takeServers(workbench: Workbench, folder: string, name: string): Promise<void> {
  await settle(workbench);
  const [bar, last] = await Promise.all([
    workbench.page.locator(".part.sidebar").boundingBox(),
    workbench.treeRows("GPU Servers").last().boundingBox(),
  ]);
  if (bar === null || last === null) throw new Error("The servers are not on screen.");
  const height = last.y + last.height + 12 - bar.y;
  mkdirSync(folder, { recursive: true });
  await workbench.page.screenshot({ path: join(folder, `${name}.png`), clip: { ...bar, height } });
}

/** Sets the side bar's width in pixels by dragging its edge, as a user would. */
export async function widenSideBar({ page }: Workbench, width: number): Promise<void> {
  const bar = await page.locator(".part.sidebar").boundingBox();
  if (bar === null) throw new Error("The side bar is not on screen.");
  const y = bar.y + bar.height / 2;
  await page.mouse.move(bar.x + bar.width, y);
  await page.mouse.down();
  await page.mouse.move(bar.x + width, y, { steps: 5 });
  await page.mouse.up();
}

/**
 * Makes sure that nothing is hovered by chance, that fonts are loaded, and that the last change has been painted. A
 * frame that is being replaced never returns from an evaluation, so each one gets a limited time.
 */
export async function settle({ page }: Workbench): Promise<void> {
  await page.mouse.move(640, 2);
  for (const frame of page.frames()) {
    // As text: these are the page's names, which code for Node does not know. A hidden frame paints nothing.
    const painted = frame.evaluate(
      "document.fonts.ready.then(() => new Promise((done) => (requestAnimationFrame(done), setTimeout(done, 500)))).then(() => true)",
    );
    await Promise.race([painted.catch(() => undefined), setTimeout(2_000)]);
  }
}
