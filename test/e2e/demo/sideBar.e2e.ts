import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("A chat that was moved", () => {
  let workbench: Workbench;

  shareWindow(
    root,
    () => ({}),
    (window) => void ({ workbench } = window),
  );

  it("into the Side Bar still has the message that is being edited", async () => {
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
    await workbench.page.locator(".part.auxiliarybar").waitFor();
    await eventually(async () => assert.equal(await editor().inputValue(), "Half a change"));
    await editor().press("Escape");
    await editor().waitFor({ state: "detached" });
  });

  it("into the Side Bar opens its settings from the Command Palette", async () => {
    const { frame } = workbench.chatView();
    await workbench.chatView().messageBox.waitFor();
    await workbench.runFromPicker("Chat Actions…", "Chat Settings…");
    const form = frame.getByRole("dialog", { name: "Chat Settings" });
    await form.waitFor();
    await workbench.page.keyboard.press("Escape");
    await form.waitFor({ state: "hidden" });
  });

  it("into the Side Bar leaves new chats where chat.openIn specifies", async () => {
    await workbench.page.locator(".part.auxiliarybar").waitFor();
    assert.equal(await workbench.editorTab("New Chat").count(), 0);
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.editorTab("New Chat").waitFor();
  });

  it("into a new window doesn't take new chats from the main window along", async () => {
    const opened = workbench.page.waitForEvent("popup");
    await workbench.runFromPicker("Chat Actions…", "Move Chat…");
    await workbench.quickInput.pick("New Window");
    const other = await opened;
    await other.locator(".tab", { hasText: "New Chat" }).waitFor();
    await workbench.page.bringToFront();
    await workbench.editorTab("New Chat").waitFor({ state: "detached" });
    await workbench.page.locator(".part.editor").first().click();
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.editorTab("New Chat").waitFor();
  });
});
