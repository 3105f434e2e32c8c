import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { eventually } from "../../support/eventually.ts";
import { createFaultModels } from "../../support/faultModels.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("Versions in a conversation", () => {
  let gateway: RunningLocalGateway;
  let workbench: Workbench;

  const article = (index: number): Locator => workbench.chatView().articles.nth(index);
  const placeOf = (message: Locator): Locator => message.getByRole("group", { name: /Version/ });

  shareWindow(
    root,
    async () => {
      gateway = await startLocalGateway({ tokensPerSecond: 200 }, createFaultModels());
      return {
        "inferenceGateway.profiles": [{ name: "Faults", inferenceBaseUrl: gateway.inferenceBaseUrl }],
      };
    },
    async (window) => {
      ({ workbench } = window);
      await workbench.runFromPicker("Set Credential…", "API Key");
      await workbench.quickInput.answer(gateway.credentials.apiKey);
      await workbench.newChat();
      await workbench.selectModel("demo-lab/echo-omni");
      await workbench.chatView().send("First question");
      await article(1).getByText("First question").waitFor();
      await workbench.chatView().waitUntilAnswered();
    },
  );

  after(() => gateway.stop());

  it("are created by regenerating, and can be switched with the keyboard", async () => {
    await article(1).hover();
    await article(1)
      .getByRole("button", { name: /Regenerate/ })
      .click();
    await placeOf(article(1)).and(workbench.chatView().frame.getByLabel("Version 2 of 2")).waitFor();
    await workbench.chatView().waitUntilAnswered();
    await placeOf(article(1)).getByRole("button", { name: "Previous Version" }).press("Enter");
    await workbench.chatView().frame.getByLabel("Version 1 of 2").waitFor();
    await eventually(async () => assert.equal(await workbench.chatView().articles.count(), 2));
  });

  it("are created by editing a message, which keeps the old one with its responses", async () => {
    await article(0).hover();
    await article(0).getByRole("button", { name: "Edit Message" }).click();
    const box = article(0).getByRole("textbox", { name: "Edit Message" });
    await box.fill("Better question");
    await box.press("Enter");
    await article(1).getByText("Better question").waitFor();
    await workbench.chatView().waitUntilAnswered();
    await placeOf(article(0)).getByRole("button", { name: "Previous Version" }).click();
    await article(1).getByText("First question").waitFor();
  });

  it("are compared in the diff editor", async () => {
    await article(0).hover();
    await placeOf(article(0)).getByRole("button", { name: "Compare" }).click();
    await workbench.page.locator(".monaco-diff-editor").waitFor();
    await workbench.closeTab("Version 1 ↔ Version 2");
  });

  it("continue an interrupted response, with the seam shown", async () => {
    const chat = workbench.chatView();
    await workbench.selectModel("demo-faults/truncated-response");
    await chat.send("Tell me something");
    await chat.lastArticle.getByRole("button", { name: "Continue from Here" }).click();
    await chat.lastArticle.getByText("a sentence. This is its end").waitFor();
    await chat.lastArticle.getByRole("note").getByText("Interrupted here").waitFor();
    await chat.waitUntilAnswered();
    await placeOf(chat.lastArticle).getByText("2/2").waitFor();
  });

  it("are all restored after a window reload", async () => {
    await workbench.reload();
    await workbench.chatView().frame.getByLabel("Version 1 of 2").first().waitFor();
    await article(1).getByText("First question").waitFor();
  });

  it("continue in one separate conversation after a fork, also after a double click", async () => {
    const tabs = workbench.page.getByRole("tab", { name: /First question/ });
    await article(1).hover();
    await article(1).getByRole("button", { name: "Fork Conversation Here" }).dblclick();
    await tabs.nth(1).waitFor();
    await workbench.page.waitForTimeout(1_000);
    assert.equal(await tabs.count(), 2);
  });
});
