import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("Keeping a conversation in the repository", () => {
  const folder = mkdtempSync(join(tmpdir(), "repository-"));
  const file = join(folder, "plan.gateway-chat.jsonl");
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    window = await TestWindow.open({
      server: { settings: { "inferenceGateway.localGateway.tokensPerSecond": 200 } },
      extension: root,
      folder,
    });
    workbench = window.workbench;
    await workbench.startChat();
    await workbench.chatView().send("Plan the release");
    await workbench.chatView().waitUntilAnswered();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  function lines(): readonly Readonly<Record<string, unknown>>[] {
    return readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
  }

  function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    return eventually(async () => assert.ok(await isSo()));
  }

  it("turns the chat into the editor of the file", async () => {
    await workbench.runCommand("Inference Gateway: Chat Actions…");
    // The list shows only its first rows.
    await workbench.quickInput.input.fill("Keep in Repository");
    await workbench.quickInput.pick("Keep in Repository…");
    // VS Code enters the suggested name once it has looked at the folder, over anything typed before.
    const { input } = workbench.quickInput;
    await until(async () => (await input.inputValue()).endsWith("Plan the release.gateway-chat.jsonl"));
    await workbench.quickInput.answer(file);
    // The tab shows the file's name only until the conversation's title is known.
    await workbench.page.locator('.tab[data-resource-name="plan.gateway-chat.jsonl"]').waitFor();
    await workbench.chatView().articles.filter({ hasText: "Plan the release" }).first().waitFor();
    await until(() => lines().length === 3);
    await eventually(() => assert.match(readFileSync(join(folder, ".gitattributes"), "utf8"), /merge=union/));
  });

  it("appends new messages to the file", async () => {
    const before = readFileSync(file, "utf8");
    await workbench.chatView().send("And then?");
    await workbench.chatView().waitUntilAnswered();
    await until(() => lines().length === 5);
    assert.ok(readFileSync(file, "utf8").startsWith(before));
  });

  it("shows messages from a merged branch as a version", async () => {
    const [, question, response] = lines();
    assert.ok(question && response);
    const other = {
      ...question,
      message: "other",
      parent: response["message"],
      text: "Other branch",
      createdAt: 4e12,
    };
    writeFileSync(file, `${readFileSync(file, "utf8")}${JSON.stringify(other)}\n`);
    await workbench
      .chatView()
      .frame.getByText(/^[12]\/2$/)
      .first()
      .waitFor();
  });

  it("starts a new chat with the instructions of the workspace, once their text is confirmed", async () => {
    mkdirSync(join(folder, ".github"));
    writeFileSync(join(folder, ".github", "chat-instructions.md"), "Answer like a pirate.");
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.dialog.getByText("Answer like a pirate.").waitFor();
    await workbench.answerDialog("Use Instructions");
    await workbench.editorTab("New Chat").waitFor();
    // Until then, the visible page is that of the other chat.
    await until(async () => (await workbench.chatView().articles.count()) === 0);
    await workbench.chatView().send("Hello");
    await workbench.chatView().lastArticle.getByText("2 messages: system, user").waitFor();
  });
});
