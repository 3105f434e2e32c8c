import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("First use of the extension", () => {
  let window: TestWindow;
  let workbench: Workbench;

  /** Responses of the demo models, oldest first. */
  const answers = (): Locator => workbench.chatView().transcript.getByRole("article", { name: /demo-lab/ });

  before(async () => {
    window = await TestWindow.open({ extension: root });
    workbench = window.workbench;
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("starts the local gateway from the Command Palette and opens a chat", async () => {
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    // The test driver suppresses notification pop-ups, so the chat is opened from the palette.
    await workbench.runCommand("Inference Gateway: New Chat");
    // The demo starts with the model that answers questions about the servers.
    await workbench.chatView().frame.getByRole("button", { name: "Model: demo-lab/server-guide" }).waitFor();
    await workbench.selectModel("demo-lab/echo-omni");
  });

  it("lists the GPU servers in the Side Bar", async () => {
    await workbench.openContainer("Inference Gateway");
    const rows = workbench.treeRows("GPU Servers");
    await rows.filter({ hasText: "H100" }).first().waitFor();
    // Three of twelve are stopped and in one group.
    await rows.filter({ hasText: "Stopped (3)" }).waitFor();
    await eventually(async () => assert.equal(await rows.count(), 10));
  });

  it("shows a response as Markdown, with the name of its model", async () => {
    const chat = workbench.chatView();
    await chat.send("Hello there");
    const answer = answers().first();
    await answer.getByText("This arrived").waitFor();
    await answer.getByRole("listitem").filter({ hasText: "1 message: user" }).waitFor();
    await chat.waitUntilAnswered();
  });

  it("stops a streaming response and keeps the received text", async () => {
    const chat = workbench.chatView();
    await chat.send("Please write 20000 tokens");
    const answer = answers().nth(1);
    await answer.getByText("Section 2").first().waitFor();
    await chat.stopButton.click();
    await chat.waitUntilAnswered();
    await eventually(async () => assert.match((await answer.textContent()) ?? "", /Section 1/));
  });

  it("restores everything after a window reload", async () => {
    await workbench.reload();
    await answers().nth(1).getByText("Section 2").first().waitFor();
    await answers().first().getByText("This arrived").waitFor();
  });

  it("offers no unavailable command in the Command Palette", async () => {
    const offered = await workbench.offeredCommands("Inference Gateway: St");
    assert.ok(offered.includes("Inference Gateway: Start Local Gateway"), offered.join());
    assert.ok(!offered.includes("Inference Gateway: Stop Local Gateway"), offered.join());
    assert.ok(!offered.includes("Inference Gateway: Stop"), offered.join());
  });

  it("lists the servers again with one command", async () => {
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    // The rows from before the reload are shown with their age until then.
    const row = workbench.treeRows("GPU Servers").filter({ hasText: "H100", hasNotText: "as of" });
    await row.first().waitFor();
  });

  it("shows no costs once the only profile is gone", async () => {
    const cost = workbench.page.locator(".statusbar-item", { hasText: "/h" });
    await cost.waitFor();
    await workbench.runCommand("Inference Gateway: Stop Local Gateway");
    await cost.waitFor({ state: "hidden" });
  });
});
