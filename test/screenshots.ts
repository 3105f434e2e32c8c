// Creates images of the real VS Code with the local gateway: those of the pages and the README in media, and in
// out/screenshots every state of the panel and the account in four themes, and the panel in three widths. With `--docs`,
// only the first ones.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { saveFailure } from "./host/failureReport.ts";
import { TestWindow } from "./host/testWindow.ts";
import { playAccount } from "./screenshots/accountScenes.ts";
import { takeServers, takeWindow, wearTheme, widenSideBar } from "./screenshots/pictures.ts";
import { takeDocs } from "./screenshots/docs.ts";
import { ask, playScene, scenes, waitForResponse } from "./screenshots/scenes.ts";
import { playSurface } from "./screenshots/surfaceScenes.ts";
import { pictureThemes } from "./screenshots/themes.ts";
import type { PictureTheme } from "./screenshots/themes.ts";
import { createExampleWorkspace } from "./start/exampleWorkspace.ts";
import { startSettings } from "./start/startSettings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const opener = fileURLToPath(new URL("./start/opener", import.meta.url));
const forUs = join(root, "out", "screenshots");

const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root, stdio: "inherit" });
if (built.status !== 0) process.exit(1);
await takeDocs(root, opener, join(root, "media", "docs", "images"), join(root, "media", "screenshots")).catch(
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
if (process.argv.includes("--docs")) process.exit();

const window = await TestWindow.open({
  folder: createExampleWorkspace(mkdtempSync(join(tmpdir(), "screenshots-"))),
  browser: { width: 1200, height: 750, deviceScaleFactor: 1.5 },
  server: {
    extensions: [root, opener],
    settings: {
      ...startSettings,
      "window.title": "Inference Gateway",
    },
  },
});
const { workbench } = window;
try {
  await showAnAnswer();
  for (const theme of pictureThemes) {
    await takeTheme(theme);
    process.stdout.write(`${theme.name}\n`);
  }
} catch (error) {
  await saveFailure("screenshots", workbench, window.server);
  throw error;
} finally {
  await window.close();
}

async function showAnAnswer(): Promise<void> {
  await workbench.treeRows("GPU Servers").first().waitFor();
  await workbench.chatView().messageBox.waitFor();
  await ask(
    workbench,
    "demo-lab/server-guide",
    "Which servers cost money right now, and which of them are idle?",
  );
  await waitForResponse(workbench.chatView());
}

/** All images in one theme, for review. */
async function takeTheme(theme: PictureTheme): Promise<void> {
  await wearTheme(workbench, theme);
  await widenSideBar(workbench, 540);
  await takeServers(workbench, forUs, `servers-${theme.name}`);
  await widenSideBar(workbench, 380);
  await takeWindow(workbench, forUs, `end-${theme.name}`);
  await workbench.chatView().articles.first().scrollIntoViewIfNeeded();
  await takeWindow(workbench, forUs, `panel-${theme.name}`);
  for (const scene of scenes) {
    await playScene(workbench, scene, () => takeWindow(workbench, forUs, `${scene.name}-${theme.name}`));
  }
  await playAccount(workbench, (name) => takeWindow(workbench, forUs, `${name}-${theme.name}`));
  await playSurface(workbench, (name) => takeWindow(workbench, forUs, `${name}-${theme.name}`));
  await takeSizes(theme);
}

/** The response in a panel as narrow as 360 pixels, and in a window as wide as a large screen. */
async function takeSizes({ name }: PictureTheme): Promise<void> {
  const { page } = workbench;
  const size = page.viewportSize() ?? { width: 1200, height: 750 };
  await page.setViewportSize({ width: 2200, height: 1200 });
  // The page has just been rebuilt, and code is highlighted only once it is visible.
  await workbench.chatView().frame.locator("table").first().waitFor();
  await takeWindow(workbench, forUs, `wide-${name}`);
  await page.setViewportSize({ width: 420, height: 750 });
  await workbench.runCommand("View: Toggle Primary Side Bar Visibility");
  await takeWindow(workbench, forUs, `narrow-${name}`);
  await page.setViewportSize(size);
  await workbench.runCommand("View: Toggle Primary Side Bar Visibility");
}
