import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const question = createMessage({ id: "q", role: "user", text: "Why?" });
const first = createMessage({ id: "a1", parentId: "q", text: "First." });
const second = createMessage({ id: "a2", parentId: "q", text: "Second." });
const versions = { a1: ["a1", "a2"], a2: ["a1", "a2"] };

describe("Versions on the page", () => {
  const driver = testChatPage({
    prepare: async (): Promise<void> => {
      await driver.send({
        type: "snapshot",
        snapshot: createSnapshot({ messages: [question, second], versions }),
      });
    },
  });

  const switchOf = (text: string) =>
    driver.page
      .getByRole("article")
      .filter({ hasText: text })
      .getByRole("group", { name: /Version/ });

  it("are counted and always shown, and can be switched with buttons", async () => {
    const group = switchOf("Second.");
    await eventually(async () => assert.match((await group.getAttribute("aria-label")) ?? "", /2 of 2/));
    await group.getByRole("button", { name: "Previous Version" }).click();
    await group.getByRole("button", { name: "Previous Version" }).press("Enter");
    await driver.page.mouse.move(0, 0);
    await driver.page.getByRole("textbox", { name: "Message" }).focus();
    const opacities = await group
      .locator("..")
      .evaluate((foot) =>
        [foot, ...foot.querySelectorAll(".version-switch")].map((e) => getComputedStyle(e).opacity),
      );
    assert.deepEqual(opacities, ["1", "1"]);
    await group.getByRole("button", { name: "Next Version" }).click({ force: true });
    assert.deepEqual(await driver.takeActions(), [
      { type: "messageAction", action: "selectVersion", messageId: "a1" },
      { type: "messageAction", action: "selectVersion", messageId: "a1" },
    ]);
  });

  it("replace each other, and the focus stays on the same button", async () => {
    await switchOf("Second.").getByRole("button", { name: "Previous Version" }).focus();
    const path = { messages: [first], versions, comparison: [] };
    await driver.send({ type: "path", keep: 1, path });
    const focused = (): Promise<string | undefined> =>
      driver.page.evaluate(() => {
        const article = document.activeElement?.closest("article")?.textContent ?? "";
        return `${article} ${document.activeElement?.getAttribute("aria-label")}`;
      });
    await eventually(async () => assert.match((await focused()) ?? "", /First\.[^]*Previous Version$/));
    assert.equal(await driver.page.getByRole("article").count(), 2);
  });

  it("are compared on request", async () => {
    await switchOf("Second.").getByRole("button", { name: "Compare with Another Version" }).click();
    assert.deepEqual(await driver.takeActions(), [
      { type: "messageAction", action: "compareVersions", messageId: "a2" },
    ]);
  });

  it("are created by editing the user's message, which Escape leaves unchanged", async () => {
    const article = driver.page.getByRole("article", { name: "You" });
    await article.getByRole("button", { name: "Edit Message" }).click();
    const box = article.getByRole("textbox", { name: "Edit Message" });
    await box.fill("Wherefore?");
    await box.press("Escape");
    await eventually(async () => {
      assert.equal(await box.count(), 0);
      assert.match((await article.textContent()) ?? "", /Why\?/);
    });
    await article.getByRole("button", { name: "Edit Message" }).click();
    await box.fill("Wherefore?");
    await box.press("Enter");
    assert.deepEqual(await driver.takeActions(), [
      { type: "edit", messageId: "q", text: "Wherefore?", attachments: [] },
    ]);
  });

  it("can't be created while a response is streaming", async () => {
    await driver.send({ type: "streaming", isStreaming: true });
    await eventually(async () => {
      assert.equal(await driver.page.getByRole("button", { name: "Edit Message" }).count(), 0);
      assert.equal(await driver.page.getByRole("button", { name: /Regenerate/ }).count(), 0);
    });
  });
});

describe("An interrupted response on the page", () => {
  const driver = testChatPage();

  it("can be continued, unlike a complete one", async () => {
    const broken = createMessage({ id: "b", parentId: "q", text: "Half", status: "stopped" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, broken] }) });
    await driver.page.getByRole("button", { name: "Continue from Here" }).click();
    assert.deepEqual(await driver.takeActions(), [
      { type: "messageAction", action: "continue", messageId: "b" },
    ]);
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, second] }) });
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("button", { name: "Continue from Here" }).count(), 0),
    );
  });

  it("shows the seam before the block in which it was continued, and continues in that block", async () => {
    const text = "One.\n\n```js\nconst a = 1;\n";
    const start = createMessage({ id: "c", parentId: "q", text, status: "streaming", seams: [text.length] });
    const snapshot = createSnapshot({ messages: [question, start], isStreaming: true });
    await driver.send({ type: "snapshot", snapshot });
    const rest = {
      textOffset: text.length,
      text: "const b = 2;\n```\n\nEnd.",
      reasoningOffset: 0,
      reasoning: "",
    };
    await driver.send({ type: "delta", messageId: "c", ...rest });
    await driver.frames();
    const answer = driver.page.locator('[data-message-id="c"]');
    const mark = answer.getByRole("note");
    await eventually(async () => assert.match((await mark.textContent()) ?? "", /Interrupted here/));
    assert.match(
      (await mark.evaluate((node) => node.nextElementSibling?.textContent)) ?? "",
      /a = 1[^]*b = 2/,
    );
    await eventually(async () => assert.equal(await answer.locator("pre").count(), 1));
  });
});
