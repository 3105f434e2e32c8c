import { fileURLToPath } from "node:url";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("A chat that was moved into a new window", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    window = await TestWindow.open({ extension: root });
    workbench = window.workbench;
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("doesn't take new chats from the main window along", async () => {
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chatView().messageBox.waitFor();
    const opened = workbench.page.waitForEvent("popup");
    await workbench.runFromPicker("Chat Actions…", "Move Chat…");
    await workbench.quickInput.pick("New Window");
    await (await opened).locator(".tab", { hasText: "New Chat" }).waitFor();
    await workbench.page.bringToFront();
    await workbench.editorTab("New Chat").waitFor({ state: "detached" });
    await workbench.page.locator(".part.editor").first().click();
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.editorTab("New Chat").waitFor();
  });
});
