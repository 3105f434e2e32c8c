import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("Keys typed in a text field of the chat", () => {
  let window: TestWindow;
  let workbench: Workbench;

  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const type = (text: string): Promise<void> => workbench.page.keyboard.type(text);

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), "keys-"));
    writeFileSync(join(folder, "notes.md"), "# Notes\n");
    window = await TestWindow.open({ extension: root, folder });
    workbench = window.workbench;
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    await workbench.page.locator(".monaco-list-row", { hasText: "notes.md" }).dblclick();
    await workbench.editorTab("notes.md").waitFor();
    await workbench.page.locator(".monaco-editor .view-lines", { hasText: "# Notes" }).click();
    await press("Control+Home");
    await type("kept words ");
    // A custom editor takes Undo and Redo as long as it is the active editor, wherever the focus is.
    await workbench.runCommand("View: Reopen Editor With...");
    await workbench.quickInput.pick("Markdown Preview");
    await workbench.page.locator(".monaco-editor .view-lines").waitFor({ state: "detached" });
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  async function value(): Promise<string> {
    return workbench.chatView().messageBox.inputValue();
  }

  it("undo and redo there, and leave the file of the active editor alone", async () => {
    await workbench.runCommand("Inference Gateway: Focus on Chat View");
    const { messageBox } = workbench.chatView();
    await messageBox.click();
    await type("one");
    // If the focus moves while something is typed, the browser undoes it in parts.
    const pressUntil = (keys: string, text: string): Promise<void> =>
      eventually(async () => {
        if ((await value()) !== text) await press(keys);
        assert.equal(await value(), text);
      });
    await pressUntil("Control+z", "");
    await pressUntil("Control+y", "one");
    for (let count = 0; count < 4; count += 1) await press("Control+z");
    await pressUntil("Control+Shift+z", "one");
    await press("Control+a");
    await type("two");
    await eventually(async () => assert.equal(await value(), "two"));
    await workbench.editorTab("notes.md").first().click();
    await workbench.runCommand("View: Reopen Editor With...");
    await workbench.quickInput.pick("Text Editor");
    await workbench.page.locator(".view-lines", { hasText: "kept words # Notes" }).waitFor();
  });
});

describe("Links to files in a response", () => {
  let window: TestWindow;
  let workbench: Workbench;
  let outside: string;

  before(async () => {
    const place = mkdtempSync(join(tmpdir(), "links-"));
    outside = join(place, "outside.txt");
    writeFileSync(outside, "outside\n");
    mkdirSync(join(place, "workspace", "sub folder"), { recursive: true });
    writeFileSync(join(place, "workspace", "sub folder", "named.ts"), "const a = 1;\nconst b = 2;\n");
    window = await TestWindow.open({ extension: root, folder: join(place, "workspace") });
    workbench = window.workbench;
    await workbench.startChat();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("open a file of the workspace at its line", async () => {
    const chat = workbench.chatView();
    await chat.send(
      "Files: [it](<sub folder/named.ts#L2>) and [other](nowhere/b.ts) and [more](" + outside + ")",
    );
    await chat.waitUntilAnswered();
    await chat.lastArticle.getByRole("link", { name: "it" }).click();
    await workbench.page.getByRole("tab", { name: /^named\.ts/ }).waitFor();
    await workbench.page.locator(".statusbar-item", { hasText: "Ln 2, Col 1" }).waitFor();
  });

  it("open a file outside the workspace only after a question", async () => {
    await workbench.editorTab("Files:").first().click();
    await workbench.chatView().lastArticle.getByRole("link", { name: "more" }).click();
    await workbench.dialog.filter({ hasText: outside }).waitFor();
    await workbench.answerDialog("Don't Open");
    // The dialog had the focus, which returns to the page.
    await workbench.chatView().frame.locator(":focus").waitFor();
    await workbench.page.keyboard.type("typed on");
    await eventually(async () =>
      assert.equal(await workbench.chatView().messageBox.inputValue(), "typed on"),
    );
    assert.equal(await workbench.editorTab("outside.txt").count(), 0);
    for (const key of ["Enter", "Escape"]) {
      await workbench.chatView().messageBox.fill("");
      await workbench.chatView().lastArticle.getByRole("link", { name: "more" }).press("Enter");
      await workbench.dialog.filter({ hasText: outside }).waitFor();
      await workbench.page.keyboard.press(key);
      await workbench.dialog.waitFor({ state: "hidden" });
      await workbench.chatView().frame.locator(":focus").waitFor();
      await workbench.page.keyboard.type("typed on");
      await eventually(async () =>
        assert.equal(await workbench.chatView().messageBox.inputValue(), "typed on"),
      );
    }
    await workbench.chatView().lastArticle.getByRole("link", { name: "more" }).click();
    await workbench.answerDialog("Open File");
    await workbench.editorTab("outside.txt").waitFor();
  });

  it("aren't the only reason for a dialog after which typing goes on in the page", async () => {
    await workbench.editorTab("Files:").first().click();
    for (const answer of ["Don't Send", "Send Anyway"]) {
      const { frame, messageBox } = workbench.chatView();
      await messageBox.fill(`The token is ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`);
      await messageBox.press("Enter");
      await frame.getByRole("button", { name: "Send Anyway" }).click();
      await workbench.dialog.filter({ hasText: "possible secrets" }).waitFor();
      await workbench.answerDialog(answer);
      // The composer is emptied once the message is sent.
      if (answer === "Send Anyway")
        await eventually(async () => assert.equal(await messageBox.inputValue(), ""));
      await frame.locator(":focus").waitFor();
      await workbench.page.keyboard.type("typed on");
      await eventually(async () => assert.ok((await messageBox.inputValue()).includes("typed on"), answer));
    }
  });
});
