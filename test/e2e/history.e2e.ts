import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("The history of conversations", () => {
  let window: TestWindow;
  let workbench: Workbench;

  const row = (title: string): Locator =>
    workbench.treeRows("Conversations").filter({ hasText: title }).first();

  async function choose(title: string, entry: string): Promise<void> {
    await row(title).click({ button: "right" });
    await workbench.page.locator(".monaco-menu").getByText(entry).click();
  }

  before(async () => {
    window = await TestWindow.open({
      server: { settings: { "inferenceGateway.localGateway.tokensPerSecond": 0 } },
      extension: root,
    });
    workbench = window.workbench;
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chatView().messageBox.waitFor();
    await workbench.chatView().send("Where is the needle?");
    await workbench.chatView().waitUntilAnswered();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("lists a conversation as soon as it has begun", async () => {
    await workbench.openContainer("Inference Gateway");
    await row("Where is the needle?").waitFor();
    await row("Today").waitFor();
  });

  it("renames and pins it, there and on its tab", async () => {
    await choose("Where is the needle?", "Rename Conversation…");
    await workbench.quickInput.answer("Haystack");
    await row("Haystack").waitFor();
    await workbench.editorTab("Haystack").waitFor();
    await choose("Haystack", "Pin Conversation");
    await row("Pinned").waitFor();
  });

  it("finds it by the words of an answer, and opens it there", async () => {
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.input.fill("not a language model");
    await workbench.quickInput.rows.filter({ hasText: "I am the echo" }).first().click();
    await workbench.chatView().transcript.getByText("I am the echo").waitFor();
  });

  it("deletes it with its tab, and brings it back", async () => {
    await choose("Haystack", "Delete Conversation");
    await row("Haystack").waitFor({ state: "detached" });
    await workbench.editorTab("Haystack").waitFor({ state: "detached" });
    await workbench.runCommand("Notifications: Show Notifications");
    await workbench.page.locator(".notifications-center").getByText("Undo").click();
    await row("Haystack").click();
    await workbench.chatView().transcript.getByText("I am the echo").waitFor();
  });
});
