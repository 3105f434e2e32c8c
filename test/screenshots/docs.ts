import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { hideNotifications, waitForNotification } from "../host/notifications.ts";
import { openProfileForm } from "../host/profileFormView.ts";
import { saveFailure } from "../host/failureReport.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { DemoMachine } from "../start/demoMachine.ts";
import { createExampleWorkspace } from "../start/exampleWorkspace.ts";
import { startSettings } from "../start/startSettings.ts";
import { settle, widenSideBar } from "./pictures.ts";
import { encodePng } from "./png.ts";
import type { Frame } from "./png.ts";
import { ask, closeSecondEditor, waitForResponse } from "./scenes.ts";

/** The pictures of the pages in media/docs, in the order in which they can be taken in one window. */
const scenes: Readonly<Record<string, (docs: Docs) => Promise<void>>> = {
  async profileForm({ workbench, editor, take }) {
    const form = await openProfileForm(workbench);
    await form.field("Name").fill("Research");
    await form.field("Inference base URL").fill("https://api.example.com/v1");
    await take("profile-form", [editor], { height: 480 });
    await closeSecondEditor(workbench);
  },
  async costs({ workbench, editor, take }) {
    await workbench.runCommand("Inference Gateway: Show Costs");
    await workbench.chatView().frame.getByRole("table", { name: "Costs", exact: true }).waitFor();
    await take("costs", [editor], { height: 460 });
    await closeSecondEditor(workbench);
  },
  async servers({ sideBar, take, film }) {
    await film(2_500);
    await take("servers", [sideBar], { height: 342 });
  },
  async watch({ workbench, row, sideBar, take, film }) {
    // What is pinned comes first, so that the pictures show what is below it.
    await chooseInMenu(workbench, row("trainer-01"), "Pin Server");
    // It moves up, and a click may hit what comes after it.
    await row("trainer-01").getByText("pinned").waitFor();
    await chooseInMenu(workbench, row("trainer-01"), "Watch");
    await row("trainer-01").getByText("GB").waitFor();
    await row("trainer-01").click();
    await workbench.page.keyboard.press("ArrowRight");
    await row("pretrain.py").waitFor();
    for (let step = 0; step < 3; step++) await film(1_000);
    await take("watch", [sideBar], { height: 330 });
  },
  async files({ workbench, row, take }) {
    await chooseInMenu(workbench, row("trainer-01"), "Upload to Server…");
    await workbench.quickInput.pick("Choose Folders…");
    // The dialog opens before it has its path.
    await workbench.quickInput.rows.filter({ hasText: "notes" }).waitFor();
    await workbench.quickInput.answer(project());
    await workbench.quickInput.rows.filter({ hasText: "vision (new)" }).getByText(/free/).waitFor();
    await take("files", [workbench.page.locator(".quick-input-widget")]);
    await workbench.quickInput.dismiss();
  },
  async jobs({ workbench, row, sideBar, take, film }) {
    await chooseInMenu(workbench, row("trainer-01"), "Run on Server…");
    await workbench.quickInput.pick("Login shell");
    await workbench.quickInput.input.fill("cd ~/nanogpt && python3 train.py");
    await workbench.page.getByText("Keeps running when you disconnect.").waitFor();
    await film(2_500);
    await workbench.page.keyboard.press("Enter");
    // The name of the job is also part of that of a process.
    await row("step").waitFor();
    for (let step = 0; step < 5; step++) await film(900);
    await take("jobs", [sideBar], { height: 330 });
  },
  async serve({ workbench, row, take }) {
    await chooseInMenu(workbench, row("trainer-01"), "Serve a Model…");
    await workbench.quickInput.rows
      .filter({ hasText: "Qwen2.5-7B-Instruct" })
      .getByText(/fits|tight/)
      .waitFor();
    await take("serve", [workbench.page.locator(".quick-input-widget")]);
    await workbench.quickInput.dismiss();
  },
  async ports({ workbench, row, sideBar, take }) {
    await chooseInMenu(workbench, row("trainer-01"), "Forward Port…");
    await workbench.quickInput.input.fill("6006");
    await workbench.quickInput.rows.filter({ hasText: "6006" }).first().click();
    await waitForNotification(workbench, "is forwarded to");
    await hideNotifications(workbench);
    await row("localhost:").hover();
    await take("ports", [sideBar], { height: 330, isHovering: true });
  },
  async stop({ workbench, row, take }) {
    await chooseInMenu(workbench, row("trainer-01"), "Stop Server…");
    await workbench.dialog.getByText("Running there").waitFor();
    await take("stop", [workbench.dialog]);
    await workbench.answerDialog("Cancel");
  },
  async chat({ workbench, editor, take, film }) {
    await workbench.editorTab("New Chat").click();
    const prompt = "Which servers cost money right now, and which of them are idle?";
    await workbench.chatView().messageBox.fill(prompt);
    await film(1_500);
    await ask(workbench, "demo-lab/server-guide", prompt);
    for (let step = 0; step < 8; step++) await film(350);
    await waitForResponse(workbench.chatView());
    await film(4_000);
    await take("chat", [editor], { height: 460 });
  },
  async failure({ workbench, editor, take }) {
    const { quickInput } = workbench;
    const chat = await workbench.newChat();
    await chat.frame.getByRole("button", { name: /^Model:/ }).click();
    await quickInput.pickRow(quickInput.rows.filter({ hasText: "Enter Model Name…" }));
    await quickInput.answer("demo-lab/sever-guide");
    await chat.frame.getByRole("button", { name: /sever-guide/ }).waitFor();
    await chat.send("Which servers are idle?");
    await chat.articles.nth(1).waitFor();
    await chat.waitUntilAnswered();
    await take("failure", [editor], { height: 416 });
  },
};

interface Docs {
  readonly workbench: Workbench;
  readonly editor: Locator;
  readonly sideBar: Locator;
  row(text: string): Locator;
  /** Adds what the window shows now to the animation. */
  film(milliseconds: number): Promise<void>;
  take(
    name: string,
    parts: readonly Locator[],
    how?: { readonly height?: number; readonly isHovering?: boolean },
  ): Promise<void>;
}

/** A project with what Git ignores. */
function project(): string {
  const folder = join(mkdtempSync(join(tmpdir(), "project-")), "vision");
  for (const each of ["data", "cache"]) mkdirSync(join(folder, each), { recursive: true });
  for (let at = 0; at < 40; at++) {
    writeFileSync(join(folder, "data", `${String(at)}.bin`), Buffer.alloc(200_000));
    writeFileSync(join(folder, "cache", String(at)), "");
  }
  writeFileSync(join(folder, "train.py"), "print()\n");
  writeFileSync(join(folder, ".gitignore"), "cache/\n");
  return folder;
}

/** Takes the pictures of the pages in media/docs and the animation of the README, with a server that accepts SSH. */
export async function takeDocs(
  root: string,
  opener: string,
  folder: string,
  filmFolder: string,
): Promise<void> {
  const machine = await DemoMachine.open();
  const window = await TestWindow.open({
    folder: createExampleWorkspace(mkdtempSync(join(tmpdir(), "screenshots-"))),
    browser: { width: 1080, height: 680 },
    server: {
      extensions: [root, opener],
      environment: machine?.environment ?? {},
      settings: {
        ...startSettings,
        "workbench.colorTheme": "Light Modern",
        "window.title": "Inference Gateway",
      },
    },
  });
  const { workbench } = window;
  const { page } = workbench;
  const frames: Frame[] = [];
  const docs: Docs = {
    workbench,
    editor: page.locator(".part.editor"),
    sideBar: page.locator(".part.sidebar"),
    row: (text) => workbench.treeRows("GPU Servers").filter({ hasText: text }).first(),
    async film(milliseconds) {
      await page.mouse.move(640, 2);
      await page.waitForTimeout(Math.min(milliseconds, 1_000));
      frames.push({ png: await page.screenshot(), milliseconds });
    },
    async take(name, parts, { height = Infinity, isHovering = false } = {}) {
      if (!isHovering) await settle(workbench);
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      const [box] = boxes;
      if (box === undefined || box === null) throw new Error(`There is nothing to see for “${name}”.`);
      const png = await page.screenshot({ clip: { ...box, height: Math.min(height, box.height) } });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${name}.png`), await encodePng(page, [{ png, milliseconds: 0 }]));
      process.stdout.write(`${name}\n`);
    },
  };
  try {
    page.setDefaultTimeout(30_000);
    await workbench.treeRows("GPU Servers").first().waitFor();
    await workbench.chatView().messageBox.waitFor();
    await widenSideBar(workbench, 430);
    await page.locator(".pane-header").filter({ hasText: "Conversations" }).click();
    const failed: unknown[] = [];
    for (const [name, play] of Object.entries(scenes))
      await play(docs).catch(async (error: unknown) => {
        // The others are still worth having.
        failed.push(error);
        process.stderr.write(await saveFailure(`docs ${name}`, workbench, window.server));
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
      });
    writeFileSync(join(filmFolder, "tour.png"), await encodePng(page, frames));
    if (failed.length > 0) throw new AggregateError(failed, "Scenes are missing.");
  } finally {
    await window.close();
    await machine?.lab.close();
  }
}
