import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FrameLocator } from "playwright-core";
import { launchBrowser } from "../host/browser.ts";
import type { HeadlessBrowser } from "../host/browser.ts";
import { startVscodeServer } from "../host/vscodeServer.ts";
import type { VscodeServer } from "../host/vscodeServer.ts";
import { Workbench } from "../host/workbench.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Sends a message in the chat page as a person would. */
async function send(chat: FrameLocator, text: string): Promise<void> {
  await chat.getByRole("textbox", { name: "Message" }).fill(text);
  await chat.getByRole("button", { name: "Send", exact: true }).click();
}

describe("A person's path", () => {
  let server: VscodeServer;
  let chromium: HeadlessBrowser;
  let workbench: Workbench;

  before(async () => {
    server = await startVscodeServer({ settings: { "inferenceGateway.localGateway.tokensPerSecond": 200 } });
    chromium = await launchBrowser();
    workbench = await Workbench.open(chromium.context, server, {
      folder: mkdtempSync(join(tmpdir(), "workspace-")),
      extension: root.replace(/\/$/, ""),
    });
  });

  after(async () => {
    await chromium.close();
    await server.stop();
  });

  afterEach(async function () {
    if (this.currentTest?.state !== "failed") return;
    const name = this.currentTest.title.replaceAll(/\W+/g, "-");
    await workbench.screenshot(join(root, "out", "failures", `${name}.png`));
  });

  it("starts the local gateway from the palette and offers a chat", async () => {
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    // Offered only while the gateway runs: waits for it. (The test driver keeps notifications from popping up.)
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chat().getByRole("textbox", { name: "Message" }).waitFor();
  });

  it("lists the GPU servers in the side bar", async () => {
    await workbench.page.getByRole("tab", { name: "Inference Gateway" }).locator("a").click();
    const rows = workbench.treeRows("GPU Servers");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 12);
    assert.match((await rows.first().textContent()) ?? "", /NVIDIA/);
  });

  it("chats: the answer comes as Markdown, named after its model", async () => {
    const chat = workbench.chat();
    await send(chat, "Hello there");
    const answer = chat.getByRole("article", { name: /demo-lab/ }).first();
    await answer.getByText("This arrived").waitFor();
    await answer.getByRole("listitem").filter({ hasText: "1 message: user" }).waitFor();
    await chat.getByRole("button", { name: "Send", exact: true }).waitFor();
  });

  it("stops an answer in mid-stream and keeps what came", async () => {
    const chat = workbench.chat();
    await send(chat, "Please write 20000 tokens");
    const answer = chat.getByRole("article", { name: /demo-lab/ }).nth(1);
    await answer.getByText("Section 2").first().waitFor();
    await chat.getByRole("button", { name: "Stop", exact: true }).click();
    await chat.getByRole("button", { name: "Send", exact: true }).waitFor();
    assert.match((await answer.textContent()) ?? "", /Section 1/);
  });

  it("has everything back after a reload of the window", async () => {
    await workbench.reload();
    const chat = workbench.chat();
    const answers = chat.getByRole("article", { name: /demo-lab/ });
    await answers.nth(1).getByText("Section 2").first().waitFor();
    await answers.first().getByText("This arrived").waitFor();
  });

  it("offers nothing dead in the palette", async () => {
    const offered = await workbench.offeredCommands("Inference Gateway: St");
    assert.ok(offered.includes("Inference Gateway: Start Local Gateway"), offered.join());
    assert.ok(!offered.includes("Inference Gateway: Stop Local Gateway"), offered.join());
    assert.ok(!offered.includes("Inference Gateway: Stop"), offered.join());
  });
});
