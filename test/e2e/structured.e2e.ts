import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const schema = {
  title: "order",
  type: "object",
  required: ["name", "items"],
  additionalProperties: false,
  properties: {
    name: { type: "string" },
    items: { type: "array", minItems: 2, maxItems: 3, items: { type: "integer" } },
  },
};

describe("Responses that must match a JSON Schema", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), "workspace-"));
    writeFileSync(join(folder, "order.schema.json"), JSON.stringify(schema));
    window = await TestWindow.open({
      server: {
        settings: {
          // Text that is typed at once must not be completed by the editor.
          "editor.autoClosingBrackets": "never",
          "editor.autoClosingQuotes": "never",
          "editor.autoSurround": "never",
        },
      },
      extension: root,
      folder,
    });
    workbench = window.workbench;
    await workbench.startChat();
    await workbench.page.getByRole("treeitem", { name: "order.schema.json" }).dblclick();
    // The command moves the active editor.
    await workbench.page.locator(".tab.active", { hasText: "order.schema.json" }).waitFor();
    await workbench.runCommand("View: Move Editor into Next Group");
    await workbench.page
      .locator(".editor-group-container")
      .nth(1)
      .getByRole("tab", { name: "order.schema.json" })
      .waitFor();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("use the schema from an open editor", async () => {
    const chat = workbench.chatView();
    await chat.frame.getByRole("button", { name: "More actions" }).click();
    await chat.frame.getByRole("button", { name: "Response Format: Text" }).click();
    await workbench.quickInput.pick("JSON Schema in order.schema.json");
    await chat.frame.getByRole("button", { name: "order", exact: true }).waitFor();
  });

  it("are checked", async () => {
    await workbench.selectModel("demo-lab/json-writer");
    const chat = workbench.chatView();
    await chat.send("An order, please");
    await chat.lastArticle.getByText("The response matches the schema “order”.").waitFor();
    await chat.lastArticle.getByRole("button", { name: "Copy JSON", exact: true }).waitFor();
  });

  it("are retried with their errors if the user wants", async () => {
    await workbench.selectModel("demo-lab/echo-omni");
    const chat = workbench.chatView();
    await chat.send("No JSON today");
    await chat.lastArticle.getByText("The response isn't valid JSON").waitFor();
    await chat.lastArticle.getByRole("button", { name: "Retry with These Errors" }).click();
    await chat.articles.filter({ hasText: "Respond again with only JSON" }).first().waitFor();
    await chat.waitUntilAnswered();
  });

  it("are checked again after a reload, and not after the format is removed", async () => {
    await workbench.reload();
    const chat = workbench.chatView();
    const start = chat.frame.getByRole("button", { name: "Start Local Gateway" });
    await start.click();
    await start.waitFor({ state: "hidden" });
    await chat.articles.first().scrollIntoViewIfNeeded();
    await chat.frame.getByText("The response matches the schema “order”.").first().waitFor();
    await chat.frame.getByRole("button", { name: "Remove the response format order" }).click();
    await chat.frame
      .getByRole("button", { name: "Remove the response format order" })
      .waitFor({ state: "hidden" });
    const before = await chat.articles.count();
    // A check takes a moment. That of the first response would be complete before the second one.
    for (const text of ["Just text", "More text"]) {
      await chat.send(text);
      await chat.waitUntilAnswered();
      await chat.lastArticle.getByText(text).first().waitFor();
    }
    for (const index of [before + 1, before + 3])
      assert.equal(await chat.articles.nth(index).getByText("The response isn't valid JSON").count(), 0);
  });

  it("use a schema that was pasted into a document", async () => {
    await workbench.chatView().frame.getByRole("button", { name: "More actions" }).click();
    await workbench.chatView().frame.getByRole("button", { name: "Response Format: Text" }).click();
    await workbench.quickInput.pick("Paste or write a JSON Schema…");
    // The title bar shows the button once the document has the focus.
    await workbench.page.locator(".view-line", { hasText: "summary" }).first().click();
    const use = workbench.page.getByRole("button", { name: /^Use as Response Format/ });
    await use.first().waitFor();
    await workbench.page.keyboard.press("Control+A");
    await workbench.page.keyboard.insertText('{"title": "pasted", "type": "object"}');
    await use.first().click();
    await workbench.chatView().frame.getByRole("button", { name: "pasted", exact: true }).waitFor();
  });
});
