// Takes the pictures of the README from the real VS Code with the local gateway: panel and servers, in four themes.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestWindow } from "./host/testWindow.ts";
import { takeServers, takeWindow, wearTheme, widenSideBar } from "./screenshots/pictures.ts";
import { pictureThemes } from "./screenshots/themes.ts";
import { createExampleWorkspace } from "./start/exampleWorkspace.ts";
import { startSettings } from "./start/startSettings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const opener = fileURLToPath(new URL("./start/opener", import.meta.url));
const forReadme = join(root, "media", "screenshots");
const forUs = join(root, "out", "screenshots");

const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root, stdio: "inherit" });
if (built.status !== 0) process.exit(1);

const window = await TestWindow.open({
  folder: createExampleWorkspace(mkdtempSync(join(tmpdir(), "screenshots-"))),
  browser: { width: 1280, height: 860, deviceScaleFactor: 1.5 },
  server: {
    extensions: [root, opener],
    settings: {
      ...startSettings,
      "inferenceGateway.localGateway.tokensPerSecond": 0,
      "window.title": "Inference Gateway",
    },
  },
});
const { workbench } = window;
try {
  await showAnAnswer();
  await widenSideBar(workbench, 430);
  for (const theme of pictureThemes) {
    await wearTheme(workbench, theme);
    await takeWindow(workbench, forReadme, `panel-${theme.name}`);
    await takeServers(workbench, forReadme, `servers-${theme.name}`);
    process.stdout.write(`${theme.name}\n`);
  }
  await takeSizes();
} finally {
  await window.close();
}

async function showAnAnswer(): Promise<void> {
  const chat = workbench.chatView();
  await workbench.treeRows("GPU Servers").first().waitFor();
  await chat.messageBox.waitFor();
  await workbench.runCommand("Inference Gateway: Select Model…");
  await workbench.quickInput.pick("demo-lab/markdown-showcase");
  await chat.send("Show me what an answer can contain");
  await chat.articles.nth(1).waitFor();
  await chat.waitUntilAnswered();
}

/** The same at other sizes, for our own eyes. */
async function takeSizes(): Promise<void> {
  await workbench.page.setViewportSize({ width: 2200, height: 1200 });
  await takeWindow(workbench, forUs, "wide");
  await workbench.page.setViewportSize({ width: 640, height: 800 });
  await workbench.runCommand("View: Toggle Primary Side Bar Visibility");
  await takeWindow(workbench, forUs, "narrow");
}
