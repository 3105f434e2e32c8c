import assert from "node:assert/strict";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import type { ChatView } from "../host/chatView.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const files: Readonly<Record<string, string>> = {
  "notes.md": "# Plan\n\nfirst\nsecond\n\n# Other\n\nlast\n",
  "broken.json": '{ "a": }\n',
  "docs/one.txt": "one\n",
};

function createFolder(content: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "editor-context-")));
  for (const [name, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("Editor context in a chat", () => {
  let window: TestWindow;
  let workbench: Workbench;
  const folder = createFolder(files);

  before(async () => {
    const promptFolder = createFolder({ "tidy.prompt.md": "Tidy ${selection} up.\n" });
    window = await TestWindow.open({
      server: {
        settings: {
          "workbench.editor.enablePreview": false,
          "inferenceGateway.chat.promptFolder": promptFolder,
        },
      },
      extension: root,
      folder,
    });
    workbench = window.workbench;
    await workbench.startChat();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const chat = (): ChatView => workbench.chatView();
  const option = (name: RegExp): Locator => chat().frame.getByRole("option", { name });
  const chip = (name: RegExp): Locator => chat().frame.getByRole("button", { name });

  /** Chooses what is suggested for the typed text. Rejects if it isn't suggested in time. */
  async function choose(
    typed: string,
    name: RegExp,
    limit: { readonly timeout?: number } = {},
  ): Promise<void> {
    await chat().messageBox.fill("");
    await chat().messageBox.pressSequentially(typed);
    await option(name).first().click(limit);
  }

  it("includes a file whose chip opens it next to the chat", async () => {
    await choose("#file:broken", /^broken\.json/);
    await chip(/^Open broken\.json/).click();
    await workbench.editorTab("broken.json").waitFor();
    await choose("#file:notes", /^notes\.md/);
    await chip(/^Open notes\.md/).click();
    await workbench.editorTab("notes.md").waitFor();
  });

  it("includes the selection with its line numbers", async () => {
    const editor = workbench.page.locator(".monaco-editor .view-lines").first();
    await editor.click();
    await workbench.page.keyboard.press("Control+Home");
    await workbench.page.keyboard.press("ArrowDown");
    await workbench.page.keyboard.press("ArrowDown");
    await workbench.page.keyboard.press("Shift+ArrowDown");
    await workbench.page.keyboard.press("Shift+ArrowDown");
    await choose("#sel", /^Selection notes\.md:3-4$/);
    await chip(/^Open notes\.md:3-4, ≈ \d+ tokens$/).waitFor();
  });

  it("includes the open editors, without attaching a file twice", async () => {
    await choose("#edit", /^Open editors 2 files$/);
    await choose("#prob", /^Problems \d problems? in the whole workspace$/);
    // What is attached later arrives later.
    await chip(/^Open Problems in the workspace, /).waitFor();
    assert.equal(await chip(/^Open notes\.md, /).count(), 1);
    assert.equal(await chip(/^Open broken\.json, /).count(), 1);
  });

  it("includes the problems", async () => {
    await chip(/^Remove Problems in the workspace/).click();
    const problems = chip(/^Open Problems in the workspace, /);
    await problems.waitFor({ state: "detached" });
    await choose("#prob", /^Problems \d problems? in the whole workspace$/);
    await problems.waitFor();
  });

  it("includes a symbol", async () => {
    await choose("#symbol:pla", /^# Plan notes\.md:1$/);
    await chip(/^Open .*Plan/).waitFor();
  });

  it("includes a folder listing", async () => {
    await choose("#folder:docs", /^docs/);
    await chip(/^Open docs\/, /).waitFor();
  });

  it("includes a file dropped from the Explorer while holding Shift", async () => {
    const { page } = workbench;
    const explorer = page.locator(".explorer-folders-view .monaco-list-row");
    await explorer.filter({ hasText: "docs" }).click();
    await explorer.filter({ hasText: "one.txt" }).waitFor();
    const from = await explorer.filter({ hasText: "one.txt" }).boundingBox();
    const to = await page.locator("iframe.webview.ready").first().boundingBox();
    assert.ok(from !== null && to !== null);
    await page.mouse.move(from.x + 40, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + from.height / 2 + 4, { steps: 4 });
    await page.keyboard.down("Shift");
    const hint = chat().frame.getByText("Drop files to attach them");
    // VS Code lets the page receive pointer events shortly after it has handled the key.
    for (let step = 0; step < 100 && !(await hint.isVisible()); step++) {
      await page.mouse.move(to.x + to.width / 2 + (step % 8), to.y + to.height / 2, { steps: 6 });
    }
    await hint.waitFor();
    await page.mouse.move(to.x + to.width / 2 + 4, to.y + to.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await chip(/^Open docs\/one\.txt, /).waitFor();
  });

  it("includes the selection in the terminal", async () => {
    await workbench.runCommand("Terminal: Create New Terminal");
    const attached = chip(/^Open Terminal selection \(.*\), /);
    // Until the shell has printed its prompt, there is nothing to select.
    for (let attempt = 0; attempt < 10 && (await attached.count()) === 0; attempt++) {
      await workbench.runCommand("Terminal: Select All");
      // The terminal may not have a name yet, and may take the focus once it is ready, which closes the list.
      await choose("#term", /^Terminal selection/, { timeout: 5_000 }).catch(() => undefined);
      await attached.waitFor({ timeout: 2_000 }).catch(() => undefined);
    }
    await attached.waitFor();
  });

  it("is sent fenced with its path and lines, and can be read again in the message", async () => {
    await chat().messageBox.fill("Read this");
    await chat().messageBox.press("Enter");
    await chat()
      .lastArticle.getByText(/text: \d+ characters/)
      .waitFor();
    await chat().waitUntilAnswered();
    await eventually(async () => {
      const answer = (await chat().lastArticle.textContent()) ?? "";
      for (const words of [
        /Selection notes\.md, lines 3-4:.*first\s*second/s,
        /Folder docs\/:.*one\.txt/s,
        /File docs\/one\.txt:.*one/s,
        /Problems in the workspace:.*broken\.json/s,
        /Terminal .*, selected output:/,
        /Symbol # ?Plan in notes\.md/s,
      ]) {
        assert.match(answer, words);
      }
    });
    await chat()
      .articles.first()
      .getByRole("button", { name: /^Show notes\.md:3-4/ })
      .click();
    await chat().frame.getByRole("dialog").getByText("first").waitFor();
    await workbench.page.keyboard.press("Escape");
  });

  it("is attached by a slash command, whose text can be edited before it is sent", async () => {
    await chat().messageBox.fill("");
    await chat().messageBox.pressSequentially("/expl");
    await option(/^\/explain/).waitFor();
    await chat().messageBox.press("Tab");
    await chip(/^Open notes\.md:3-4/).waitFor();
    await eventually(async () =>
      assert.match(await chat().messageBox.inputValue(), /^Explain the attached code/),
    );
    await chip(/^Remove notes\.md:3-4/).click();
  });

  it("is attached by a prompt file in the user's folder", async () => {
    await choose("/tid", /^\/tidy/);
    await chip(/^Open notes\.md:3-4/).waitFor();
    await eventually(async () =>
      assert.equal(await chat().messageBox.inputValue(), "Tidy `notes.md:3-4` up."),
    );
  });

  it("can be combined with commands for the model, the system prompt and a new chat", async () => {
    await choose("/model", /^\/model/);
    await workbench.quickInput.input.waitFor();
    await workbench.quickInput.dismiss();
    await choose("/clear", /^\/clear/);
    await chat().frame.getByRole("article").first().waitFor({ state: "hidden" });
  });

  it("is changed through a link that leads outside only after the user has agreed to its real path", async () => {
    const target = join(createFolder({ "real.txt": "before\n" }), "real.txt");
    symlinkSync(target, join(folder, "linked.txt"));
    await chat().send("Here:\n\n```txt linked.txt\nafter\n```\n");
    await chat().waitUntilAnswered();
    await chat().lastArticle.getByRole("button", { name: "Apply to linked.txt…" }).click();
    const { dialog } = workbench;
    await dialog.getByText("Apply the code to a file outside the workspace?").waitFor();
    await dialog.getByText(`linked.txt is a link to ${target}`).waitFor();
    await workbench.answerDialog("Show Changes");
    await workbench.editorTab("real.txt").waitFor();
    assert.equal(readFileSync(target, "utf8"), "before\n");
    await workbench.runCommand("Inference Gateway: Accept Proposed Change");
    // The file is saved by another process.
    await eventually(async () => assert.match(readFileSync(target, "utf8"), /before\s+after/));
    assert.ok(lstatSync(join(folder, "linked.txt")).isSymbolicLink());
  });
});
