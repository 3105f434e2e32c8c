import { readFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import type { VscodeServer } from "./vscodeServer.ts";
import type { Workbench } from "./workbench.ts";

type Settings = Readonly<Record<string, unknown>>;

/** The user settings file. */
export function settingsFile(server: VscodeServer): string {
  return join(server.dataFolder, "data/User/settings.json");
}

/** Changes the user settings in the editor, as a user would. Resolves once they are saved. */
export async function editSettings(
  workbench: Workbench,
  server: VscodeServer,
  change: (settings: Settings) => Settings,
): Promise<void> {
  const written: Settings = JSON.parse(readFileSync(settingsFile(server), "utf8"));
  const text = JSON.stringify(change(written));
  const { page } = workbench;
  const editor = page.locator('.monaco-editor.focused[data-uri*="settings.json"]').first();
  const isSaved = (): boolean => readFileSync(settingsFile(server), "utf8") === text;
  for (const deadline = Date.now() + 60_000; !isSaved();) {
    if (Date.now() > deadline) throw new Error("The settings could not be saved.");
    await workbench.runCommand("Preferences: Open User Settings (JSON)");
    // It takes the focus when it opens, but a notification or a view may take that away again.
    const isFocused = await editor.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
    if (!isFocused) continue;
    // A page that had the focus before would keep the window from writing to the clipboard.
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+V");
    await page.keyboard.press("Control+S");
    await waitUntil(isSaved, settingsFile(server));
  }
}

/** Checks at every change of the file, and gives up after a few seconds. */
async function waitUntil(isDone: () => boolean, file: string): Promise<void> {
  const changes = watch(file, { signal: AbortSignal.timeout(3_000) });
  try {
    if (isDone()) return;
    const looks = changes[Symbol.asyncIterator]();
    while (!(await looks.next()).done && !isDone());
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  }
}
