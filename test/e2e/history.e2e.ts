import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu, pressEntry } from "../host/contextMenu.ts";
import {
  answerNotification,
  hideNotifications,
  waitForNotification,
  waitForStatus,
} from "../host/notifications.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("The conversation history", () => {
  let window: TestWindow;
  let workbench: Workbench;

  const row = (title: string): Locator =>
    workbench.treeRows("Conversations").filter({ hasText: title }).first();

  const choose = (title: string, entry: string): Promise<void> => chooseInMenu(workbench, row(title), entry);

  /** Moves to the first row of a group by keyboard. */
  async function focusFirst(group: string, title: string): Promise<void> {
    const { keyboard } = workbench.page;
    // A click collapses the group.
    await row(group).click();
    await row(title).waitFor({ state: "detached" });
    await keyboard.press("ArrowRight");
    await row(title).waitFor();
    await keyboard.press("ArrowDown");
    await row(title).and(workbench.page.locator(".focused")).waitFor();
  }

  async function undo(): Promise<void> {
    await answerNotification(workbench, "“Haystack” was deleted", "Undo");
    await hideNotifications(workbench);
  }

  before(async () => {
    window = await TestWindow.open({ extension: root });
    workbench = window.workbench;
    await workbench.startChat();
    await workbench.chatView().send("Where is the needle?");
    await workbench.chatView().waitUntilAnswered();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("lists a conversation as soon as it starts", async () => {
    await workbench.openContainer("Inference Gateway");
    await row("Where is the needle?").waitFor();
    await row("Today").waitFor();
  });

  it("selects the conversation of the active chat, and shows the time of those with the same title", async () => {
    const selected = row("Where is the needle?").and(workbench.page.locator(".selected"));
    await selected.waitFor();
    await (await workbench.newChat()).send("Twin");
    await workbench.chatView().waitUntilAnswered();
    const twin = workbench.treeRows("Conversations").filter({ hasText: "Twin" });
    await twin.and(workbench.page.locator(".selected")).waitFor();
    assert.doesNotMatch(await twin.innerText(), /\d:\d/);
    await (await workbench.newChat()).send("Twin");
    await workbench.chatView().waitUntilAnswered();
    await eventually(async () => {
      const [first = "", second = ""] = await twin.allInnerTexts();
      assert.match(first, /\d:\d\d:\d\d/);
      assert.match(second, /\d:\d\d:\d\d/);
      assert.notEqual(first, second);
    });
    await workbench.editorTab("Where is the needle?").click();
    await selected.waitFor();
    for (let count = 2; count > 0; count--) {
      await choose("Twin", "Delete Conversation");
      await eventually(async () => assert.equal(await twin.count(), count - 1));
    }
  });

  it("renames and pins a conversation, in the list and on its tab", async () => {
    await choose("Where is the needle?", "Rename Conversation…");
    await workbench.quickInput.answer("Haystack");
    await row("Haystack").waitFor();
    await workbench.editorTab("Haystack").waitFor();
    await choose("Haystack", "Pin Conversation");
    await row("Pinned").waitFor();
  });

  it("tags a conversation, finds it by its tags, and groups by them until another grouping is chosen", async () => {
    const { quickInput, page } = workbench;
    const tag = async (name: string): Promise<void> => {
      await choose("Haystack", "Edit Tags…");
      await quickInput.input.fill(name);
      await quickInput.row(name).waitFor();
      await quickInput.input.press("Enter");
      await row(`#${name}`).waitFor();
    };
    await tag("straw");
    await tag("to do");
    await row("#straw #to do").waitFor();
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await quickInput.input.fill('tag:"to do"');
    await quickInput.rows.filter({ hasText: "Haystack" }).first().waitFor();
    await quickInput.input.fill("tag:other");
    await quickInput.rows.filter({ hasText: "Haystack" }).waitFor({ state: "detached" });
    await quickInput.dismiss();
    const group = async (grouping: string): Promise<void> => {
      const pane = page.locator(".pane").filter({ hasText: "Conversations" });
      // The hover of a row may cover the middle of the view.
      await pane.locator(".pane-header").first().hover();
      await pane.getByRole("button", { name: "More Actions", exact: false }).first().click();
      await pressEntry(workbench, "Group Conversations By…");
      await quickInput.pick(grouping);
    };
    await group("Tag");
    await row("to do").waitFor();
    await eventually(async () =>
      assert.equal(await workbench.treeRows("Conversations").filter({ hasText: "Haystack" }).count(), 2),
    );
    await choose("Haystack", "Edit Tags…");
    // Both are selected, so that the first one is removed.
    await quickInput.row("straw").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await quickInput.input.press("Enter");
    await row("straw").waitFor({ state: "detached" });
    await row("to do").waitFor();
    await group("Workspace");
    // The group of the tag was the only one.
    await workbench.treeRows("Conversations").filter({ hasNotText: "to do" }).first().waitFor();
    await group("Time");
    await row("Pinned").waitFor();
  });

  it("renames the focused row with F2", async () => {
    const { keyboard } = workbench.page;
    await focusFirst("Pinned", "Haystack");
    await keyboard.press("F2");
    await workbench.quickInput.answer("Pincushion");
    await row("Pincushion").waitFor();
    await keyboard.press("F2");
    await workbench.quickInput.answer("Haystack");
    await row("Haystack").waitFor();
  });

  it("finds a conversation by words in a response, and opens it there", async () => {
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await workbench.quickInput.input.fill("not a language model");
    await workbench.quickInput.pickRow(
      workbench.quickInput.rows.filter({ hasText: "I am the echo" }).first(),
    );
    await workbench.chatView().transcript.getByText("I am the echo").waitFor();
  });

  it("shows a conversation in its existing tab, ready for typing", async () => {
    const { quickInput, page } = workbench;
    await workbench.runCommand("File: New Untitled Text File");
    await workbench.chatView().transcript.waitFor({ state: "hidden" });
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    await quickInput.pickRow(quickInput.rows.filter({ hasText: "Haystack" }).first());
    await workbench.chatView().frame.locator("textarea:focus").waitFor();
    await page.keyboard.type("More of it");
    await eventually(async () =>
      assert.equal(await workbench.chatView().messageBox.inputValue(), "More of it"),
    );
    await workbench.chatView().messageBox.fill("");
    await workbench.closeTab("Untitled-1");
  });

  it("opens a conversation once if its row is double-clicked", async () => {
    await workbench.runCommand("View: Close All Editors");
    await row("Haystack").dblclick();
    await workbench.chatView().transcript.getByText("I am the echo").waitFor();
    // A second tab would open as soon as its conversation is read.
    await workbench.page.waitForTimeout(1_000);
    assert.equal(await workbench.editorTab("Haystack").count(), 1);
  });

  it("deletes a conversation with its tab, and restores it", async () => {
    await choose("Haystack", "Delete Conversation");
    await row("Haystack").waitFor({ state: "detached" });
    await workbench.editorTab("Haystack").waitFor({ state: "detached" });
    await undo();
    await row("Haystack").waitFor();
    await workbench.editorTab("Haystack").waitFor();
    await workbench.chatView().transcript.getByText("I am the echo").waitFor();
  });

  it("deletes the focused row with the Delete key", async () => {
    const { keyboard } = workbench.page;
    await focusFirst("Pinned", "Haystack");
    await keyboard.press("Delete");
    await row("Haystack").waitFor({ state: "detached" });
    await undo();
    await row("Haystack").waitFor();
  });

  it("deletes a conversation whose response is still streaming, and it stays deleted", async () => {
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chatView().messageBox.waitFor();
    await workbench.runCommand("Inference Gateway: Select Model…");
    await workbench.quickInput.pick("demo-lab/slow-thinker");
    await workbench.chatView().send("Take your time");
    await workbench.chatView().stopButton.waitFor();
    await choose("Take your time", "Delete Conversation");
    await row("Take your time").waitFor({ state: "detached" });
    await (await workbench.newChat()).send("Another question");
    await workbench.chatView().waitUntilAnswered();
    await row("Another question").waitFor();
    assert.equal(await row("Take your time").count(), 0);
  });

  it("keeps text typed into a closed new chat for the next one", async () => {
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chatView().messageBox.fill("A long thought");
    await workbench.runCommand("View: Close All Editors");
    const chat = await workbench.newChat();
    // The draft arrives a moment after the box.
    await chat.messageBox.and(chat.frame.locator(":not(:placeholder-shown)")).waitFor();
    await eventually(async () => assert.equal(await chat.messageBox.inputValue(), "A long thought"));
  });

  it("exports all conversations into one archive, from which a deleted one is imported", async () => {
    const { quickInput } = workbench;
    const name = /inference-gateway-conversations-[\d-]+\.zip$/u;
    await workbench.runCommand("Inference Gateway: Export All Conversations…");
    // The dialog opens before it has the name, and takes no key before it has listed the folder.
    await eventually(async () => assert.match((await quickInput.text()) ?? "", name));
    await quickInput.rows.first().waitFor();
    await quickInput.input.press("Enter");
    await waitForNotification(workbench, "The conversations were exported to");
    await hideNotifications(workbench);
    await choose("Haystack", "Delete Conversation");
    await row("Haystack").waitFor({ state: "detached" });
    await workbench.runCommand("Inference Gateway: Import Conversations…");
    await quickInput.pickRow(quickInput.rows.filter({ hasText: "inference-gateway-conversations" }).first());
    await waitForStatus(workbench, "One conversation was imported. Already imported: 1.");
    // It is old, but shown and selected, even if the user has collapsed its group.
    await workbench.page.locator(".monaco-list-row.selected", { hasText: "Haystack" }).waitFor();
  });
});
