import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
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
  "src/deep/loadTime.ts": "export const loadTime = 17;\n",
  "src/other.ts": "export const other = 1;\n",
  ".env": "API_KEY=not-a-real-one\n",
  ".gitignore": "dist/\n",
  "dist/loadTime.js": "var loadTime = 17;\n",
  ".github/prompts/review.prompt.md":
    "---\ndescription: Review as we do\nmode: agent\n---\nReview #file:../../src/other.ts for ${input:goal:What matters?}.\n",
};

/** A repository with one staged change. */
function createRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "context-"));
  const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...words]);
  git("init", "-q");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git("add", "src/other.ts");
  return folder;
}

describe("Context from the editor", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    window = await TestWindow.open({
      extension: root,
      folder: createRepository(),
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

  it("finds a file with #, shows it as a chip, and sends it fenced with its path", async () => {
    await chat().messageBox.pressSequentially("What is this? #file:dloadti");
    await option(/^loadTime\.ts src\/deep$/).waitFor();
    await chat().messageBox.press("Enter");
    await chip(/^Open src\/deep\/loadTime\.ts, ≈ \d+ tokens$/).waitFor();
    await eventually(async () => assert.equal(await chat().messageBox.inputValue(), "What is this? "));
    await chat().messageBox.press("Enter");
    await chat().waitUntilAnswered();
    const answer = chat().lastArticle;
    await answer.getByText(/text: \d+ characters/).waitFor();
    await eventually(async () =>
      assert.match(
        (await answer.textContent()) ?? "",
        /File src\/deep\/loadTime\.ts:.*export const loadTime = 17;/s,
      ),
    );
  });

  it("lists files ignored by Git last, and asks before attaching a file with secrets", async () => {
    await chat().messageBox.pressSequentially("#loadtime");
    await option(/^loadTime\.js dist \(ignored by Git\)$/).waitFor();
    await chat().messageBox.fill("");
    await chat().messageBox.pressSequentially("#file:.env");
    await option(/^\.env/).click();
    await workbench.dialog.getByText(".env looks like a file with keys or passwords.").waitFor();
    // Enter declines.
    await workbench.dialog.locator(".monaco-button:focus", { hasText: "Don't Attach" }).waitFor();
    await workbench.page.keyboard.press("Enter");
    await workbench.dialog.waitFor({ state: "hidden" });
    // VS Code moves the focus back a moment later, and the list closes with each change of the focus.
    await workbench.page.waitForFunction("document.activeElement.tagName === 'IFRAME'");
    await chat().messageBox.fill("");
    await chat().messageBox.pressSequentially("#file:other");
    await option(/^other\.ts/).click();
    // What is attached later arrives later.
    await chip(/^Open src\/other\.ts/).waitFor();
    assert.equal(await chip(/^Open \.env/).count(), 0);
    await chip(/^Remove src\/other\.ts/).click();
    await chip(/^Open src\/other\.ts/).waitFor({ state: "detached" });
  });

  it("attaches the staged changes", async () => {
    await chat().messageBox.fill("");
    await chat().messageBox.pressSequentially("#changes");
    await option(/^Git changes .* staged/).click();
    await chip(/^Open Staged changes in context-/).waitFor();
    await chip(/^Remove Staged changes in context-/).click();
  });

  it("fills in a prompt file of the workspace, and asks for its missing inputs", async () => {
    await chat().messageBox.fill("");
    await chat().messageBox.pressSequentially("/rev");
    await option(/^\/review Review as we do$/).waitFor();
    await chat().messageBox.press("Enter");
    await workbench.page.getByPlaceholder("What matters?").waitFor();
    await workbench.quickInput.answer("speed");
    await chip(/^Open src\/other\.ts/).waitFor();
    await eventually(async () =>
      assert.equal(await chat().messageBox.inputValue(), "Review `src/other.ts` for speed."),
    );
  });

  it("restores the chips after a window reload", async () => {
    await workbench.reload();
    await chip(/^Open src\/other\.ts/).waitFor();
    await chip(/^Open src\/other\.ts/).click();
    await workbench.editorTab("other.ts").waitFor();
  });
});
