import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { waitForNotification } from "../host/notifications.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { readRequestBody, startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const code = [
  "/** Prices in cents. */",
  "export function total(prices: number[]): number {",
  "  let sum = 0;",
  "  for (const price of prices) sum = sum + price;",
  "  return sum;",
  "}",
  "",
  "console.log(total([100, 250]));",
  "",
].join("\n");
const notebook = JSON.stringify({
  cells: [
    { cell_type: "code", execution_count: null, id: "a", metadata: {}, outputs: [], source: ["cell = 1"] },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});
const changed =
  "export function total(prices: readonly number[]): number {\n  return prices.reduce((sum, price) => sum + price, 0);\n}";

describe("Code that is edited inline", () => {
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;
  let folder: string;
  const asked: string[] = [];
  /** What the model responds, and whether the response stays open. */
  let reply = "";
  let staysOpen = false;

  function respond(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (value: unknown): unknown => response.write(`data: ${JSON.stringify(value)}\n\n`);
    for (const piece of reply.match(/[^]{1,9}/g) ?? []) send({ choices: [{ delta: { content: piece } }] });
    if (staysOpen) return;
    send({ choices: [{ delta: {}, finish_reason: "stop" }] });
    response.end("data: [DONE]\n\n");
  }

  before(async () => {
    server = await startServer(async (request, response) => {
      if (request.method === "GET") return void response.end('{"data":[{"id":"lab/coder"}]}');
      asked.push(await readRequestBody(request));
      respond(response);
    });
    folder = realpathSync(mkdtempSync(join(tmpdir(), "inline-edit-")));
    writeFileSync(join(folder, "prices.ts"), code);
    writeFileSync(join(folder, "cells.ipynb"), notebook);
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com", ...args]);
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "feat: sum prices");
    const settings = {
      "inferenceGateway.profiles": [{ name: "Lab", inferenceBaseUrl: `${server.url}/v1` }],
      "inferenceGateway.chat.generateTitles": false,
      "workbench.editor.enablePreview": false,
    };
    window = await TestWindow.open({ server: { settings }, extension: root, folder });
    workbench = window.workbench;
    await workbench.page
      .locator(".explorer-folders-view .monaco-list-row", { hasText: "prices.ts" })
      .dblclick();
    await editor().waitFor();
  });

  after(async () => {
    await window.close();
    await server.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const editor = (): Locator => workbench.page.locator(".editor-instance .monaco-editor .view-lines").first();
  const diff = (): Locator => workbench.page.locator(".monaco-diff-editor");
  const titleButton = (name: string): Locator =>
    workbench.page.locator(".editor-actions").getByRole("button", { name });

  async function selectFunction(): Promise<void> {
    const { page } = workbench;
    await editor().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    for (let line = 0; line < 5; line++) await page.keyboard.press("Shift+ArrowDown");
  }

  async function chooseInEditor(entry: string): Promise<void> {
    await workbench.runFromPicker("Edit or Ask About Code…", entry);
  }

  async function lines(): Promise<string> {
    return (await editor().innerText()).replaceAll("\u00a0", " ");
  }

  it("streams into a diff, can be stopped, and is left alone when it is rejected", async () => {
    reply = `\`\`\`ts\n${changed.slice(0, 90)}`;
    staysOpen = true;
    await selectFunction();
    await chooseInEditor("Edit Inline…");
    await workbench.quickInput.answer("Use reduce");
    await diff().getByText("prices.reduce(").first().waitFor();
    await workbench.page.locator(".statusbar-item", { hasText: "Editing prices.ts" }).waitFor();
    await titleButton("Stop").click();
    await workbench.page
      .locator(".statusbar-item", { hasText: "Editing prices.ts" })
      .waitFor({ state: "hidden" });
    await titleButton("Reject Proposed Change").click();
    await diff().waitFor({ state: "detached" });
    await eventually(async () => assert.match(await lines(), /let sum = 0;/));
    await eventually(async () => assert.equal(await workbench.page.locator(".tab.dirty").count(), 0));
    assert.match(asked.at(-1) ?? "", /Instruction: Use reduce/);
  });

  it("is offered in the editor with the state of the change, and accepted in one step that can be undone", async () => {
    reply = `\`\`\`ts\n${changed}\n\`\`\``;
    staysOpen = false;
    await selectFunction();
    await chooseInEditor("Fix Code");
    await diff().getByText("prices.reduce(").first().waitFor();
    await workbench.editorTab("prices.ts").first().click();
    await workbench.page.locator(".codelens-decoration a", { hasText: "Accept" }).click();
    await editor().getByText("prices.reduce(").waitFor();
    await editor().click();
    await workbench.page.keyboard.press("Control+Z");
    await editor().getByText("let sum = 0;").waitFor();
    await eventually(async () => assert.equal((await lines()).includes("reduce"), false));
  });

  it("shows what a patch means, and says so if it doesn't fit the file", async () => {
    const patch = (sum: number): string =>
      `\`\`\`diff\n@@ -2,9 +2,9 @@\n export function total(prices: number[]): number {\n-  let sum = ${sum};\n+  let sum = 42;\n\`\`\``;
    staysOpen = false;
    reply = patch(0);
    await selectFunction();
    await chooseInEditor("Fix Code");
    await diff().getByText("let sum = 42;").first().waitFor();
    await titleButton("Reject Proposed Change").click();
    await diff().waitFor({ state: "detached" });
    reply = patch(7);
    await selectFunction();
    await chooseInEditor("Fix Code");
    await waitForNotification(workbench, "The change doesn't fit prices.ts, which is unchanged.");
    await diff().waitFor({ state: "detached" });
    await eventually(async () => assert.match(await lines(), /let sum = 0;/));
  });

  it("is explained in a new chat", async () => {
    reply = "It adds all prices.";
    await selectFunction();
    await chooseInEditor("Explain Code");
    const chat = workbench.chatView();
    await chat.lastArticle.getByText("It adds all prices.").waitFor();
    await chat.articles.first().getByText("prices.ts:2-6").waitFor();
    await workbench.runCommand("View: Close Editor");
  });

  it("can be stopped in an unsaved file and in a notebook cell, and both stay as they were", async () => {
    reply = "```\nreplaced = True";
    staysOpen = true;
    const { page } = workbench;
    await workbench.runCommand("File: New Untitled Text File");
    await workbench.editorTab("Untitled-1").waitFor();
    await page.keyboard.type("kept = 1");
    await stopChange("Untitled-1", "kept = 1");
    await workbench.runCommand("View: Close Editor");
    await workbench.answerDialog("Don't Save");
    await workbench.editorTab("Untitled-1").waitFor({ state: "detached" });
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "cells.ipynb" }).dblclick();
    const cell = page.locator(".notebook-editor .cell .monaco-editor .view-lines").first();
    await cell.click();
    await stopChange("cells.ipynb", "cell = 1");
    assert.equal(await page.locator(".tab.dirty").count(), 0);
    await workbench.closeTab("cells.ipynb");
  });

  /** Starts a change of the focused code, stops it once its first line is shown, and rejects it. */
  async function stopChange(title: string, text: string): Promise<void> {
    await workbench.page.keyboard.press("Control+A");
    await chooseInEditor("Edit Inline…");
    await workbench.quickInput.answer("Replace it");
    await diff().getByText("replaced = True").first().waitFor();
    await titleButton("Stop").click();
    const hint = workbench.page.locator(".statusbar-item", { hasText: `Review the changes to ${title}` });
    await hint.waitFor();
    await titleButton("Reject Proposed Change").click();
    await diff().waitFor({ state: "detached" });
    await workbench.editorTab(title).waitFor();
    await workbench.page
      .locator(".monaco-editor .view-lines", { hasText: text.split(" ")[0] ?? "" })
      .waitFor();
  }

  it("is sent with a secret in it only after the user agrees", async () => {
    reply = "```\nconst key = read();\n```";
    const before = asked.length;
    await editor().click();
    await workbench.page.keyboard.press("Control+End");
    await workbench.page.keyboard.type('const key = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";');
    await chooseInEditor("Edit Inline…");
    await workbench.quickInput.answer("Read the key");
    await workbench.dialog.getByText("looks like a secret").first().waitFor();
    assert.equal(asked.length, before);
    await workbench.answerDialog("Mask and Send");
    await diff().getByText("read()").first().waitFor();
    assert.equal(asked.length, before + 1);
    assert.ok(!(asked.at(-1) ?? "").includes("ghp_0123456789abcdefghij"));
    await titleButton("Reject Proposed Change").click();
    await diff().waitFor({ state: "detached" });
  });

  it("is described in a commit message", async () => {
    reply = "fix: read the key";
    await workbench.runCommand("File: Save");
    await workbench.openContainer("Source Control");
    const scm = workbench.page.locator(".scm-view");
    await scm.locator(".monaco-list-row", { hasText: "prices.ts" }).waitFor();
    await workbench.page.getByRole("button", { name: "Generate Commit Message" }).first().click();
    await scm.locator(".scm-editor .view-lines", { hasText: "fix: read the key" }).waitFor();
    assert.match(asked.at(-1) ?? "", /feat: sum prices/);
  });
});
