import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

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

describe("A chat that was moved into the side bar", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    window = await TestWindow.open({ extension: root });
    workbench = window.workbench;
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("still has the message that is being edited", async () => {
    const chat = await workbench.startChat();
    await chat.send("First words");
    await chat.waitUntilAnswered();
    const own = (): Locator => workbench.chatView().articles.first();
    const editor = (): Locator => own().getByRole("textbox", { name: "Edit Message" });
    await own().hover();
    await own().getByRole("button", { name: "Edit Message" }).click();
    await editor().fill("Half a change");
    await workbench.runFromPicker("Chat Actions…", "Move Chat…");
    await workbench.quickInput.pick("Side Bar");
    await workbench.editorTab("First words").waitFor({ state: "detached" });
    await eventually(async () => assert.equal(await editor().inputValue(), "Half a change"));
  });
});
