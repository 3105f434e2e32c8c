import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import type { QueueView } from "../../../../src/core/compose/send/queueSender.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const queue: QueueView = {
  messages: [
    { id: "a", text: "First", attachments: ["plan.md"] },
    { id: "b", text: "Second", attachments: [] },
    { id: "c", text: "Third", attachments: [] },
  ],
};

describe("The queue of the chat page", function () {
  const driver = testChatPage({
    width: 600,
    height: 700,
    prepare: (): Promise<void> => show({ queue }),
  });

  const show = (parts: Parameters<typeof createSnapshot>[0]) =>
    driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        messages: [
          createMessage({ id: "q", role: "user", text: "Go" }),
          createMessage({ id: "r", status: "streaming", text: "Let me see" }),
        ],
        isStreaming: true,
        ...parts,
      }),
    });
  const region = () => driver.page.getByRole("region", { name: "Queued messages" });
  const row = (text: string) => region().getByRole("listitem").filter({ hasText: text });
  const box = () => driver.page.getByRole("textbox", { name: "Message", exact: true });
  const focusedText = () => driver.page.evaluate(() => document.activeElement?.closest("li")?.textContent);

  it("lists the messages in order while the response streams, with their attachments", async () => {
    await row("First").getByText("plan.md").waitFor();
    await eventually(async () => {
      assert.equal(await region().getByRole("listitem").count(), 3);
      assert.ok(await region().getByText("Sent when the response completes").isVisible());
    });
  });

  it("receives messages sent with Enter, while Alt+Enter stops the response", async () => {
    await driver.takePosted();
    await box().fill("later");
    await box().press("Enter");
    await box().fill("now");
    await box().press("Alt+Enter");
    await eventually(async () => assert.equal(await box().inputValue(), ""));
    assert.deepEqual(
      (await driver.takeActions()).filter(({ type }) => type === "send"),
      [
        { type: "send", text: "later", attachments: [] },
        { type: "send", text: "now", attachments: [], stopFirst: true },
      ],
    );
  });

  it("offers to queue, or to stop and send, only if there is something to send", async () => {
    const button = (name: string) => driver.page.locator(".composer").getByRole("button", { name });
    await eventually(async () => {
      assert.ok(await button("Add to Queue").isHidden());
      assert.ok(await button("Stop and Send").isHidden());
    });
    await box().fill("more");
    await eventually(async () => {
      assert.ok(await button("Add to Queue").isVisible());
      assert.ok(await button("Stop and Send").isVisible());
      assert.ok(await driver.page.getByRole("button", { name: "Stop", exact: true }).isVisible());
    });
    await driver.send({ type: "streaming", isStreaming: false });
    await eventually(async () => {
      assert.ok(await button("Stop and Send").isHidden());
      assert.ok(await driver.page.getByRole("button", { name: "Send", exact: true }).isVisible());
    });
  });

  it("is edited, moved and emptied by keyboard, and the focus follows the message", async () => {
    await row("Second").focus();
    await driver.takePosted();
    await driver.page.keyboard.press("Alt+ArrowUp");
    await driver.page.keyboard.press("Enter");
    const editor = region().getByRole("textbox", { name: "Edit Queued Message" });
    await editor.fill("Second, better");
    // Another change must not discard the text.
    const [first, second, third] = queue.messages;
    assert.ok(first && second && third);
    await driver.send({ type: "sendState", queue: { messages: [second, first, third] } });
    await eventually(async () => assert.equal(await editor.inputValue(), "Second, better"));
    await editor.press("Enter");
    await driver.page.keyboard.press("Delete");
    assert.deepEqual(await driver.takeActions(), [
      { type: "queueMove", messageId: "b", index: 0 },
      { type: "queueEdit", messageId: "b", text: "Second, better" },
      { type: "queueRemove", messageId: "b" },
    ]);
    await driver.send({ type: "sendState", queue: { messages: [first, third] } });
    await eventually(async () => assert.match((await focusedText()) ?? "", /^First/u));
    await driver.send({ type: "sendState" });
    await eventually(async () => {
      assert.ok(await region().isHidden());
      assert.ok(await box().evaluate((element) => element === document.activeElement));
    });
  });

  it("loses one message if Remove is double-clicked, although another one takes its place", async () => {
    const [, ...others] = queue.messages;
    await driver.send({ type: "sendState", queue: { messages: others } });
    await eventually(async () => assert.equal(await region().getByRole("listitem").count(), 2));
    const button = row("Third").getByRole("button", { name: "Remove" });
    const { x, y, width, height } = (await button.boundingBox()) ?? assert.fail("It isn't shown.");
    const { mouse } = driver.page;
    const click = async (clickCount: number): Promise<void> => {
      await mouse.down({ clickCount });
      await mouse.up({ clickCount });
    };
    await mouse.move(x + width / 2, y + height / 2);
    await driver.takePosted();
    await click(1);
    await driver.send({ type: "sendState", queue: { messages: others.slice(0, 1) } });
    await eventually(async () => assert.equal(await region().getByRole("listitem").count(), 1));
    await click(2);
    await click(1);
    assert.equal((await driver.takeActions()).filter(({ type }) => type === "queueRemove").length, 2);
  });

  it("is edited, moved, sent and removed with its buttons", async () => {
    await row("First").waitFor();
    await driver.takePosted();
    await row("First").getByRole("button", { name: "Move Down" }).click();
    await row("Second").getByRole("button", { name: "Stop and Send" }).click();
    await row("Third").getByRole("button", { name: "Remove" }).click();
    assert.deepEqual(await driver.takeActions(), [
      { type: "queueMove", messageId: "a", index: 1 },
      { type: "queueSend", messageId: "b" },
      { type: "queueRemove", messageId: "c" },
    ]);
    await row("Third").dragTo(row("First"));
    assert.deepEqual(await driver.takeActions(), [{ type: "queueMove", messageId: "c", index: 0 }]);
  });

  it("explains why it is held, and sends the next message on request", async () => {
    await row("First").waitFor();
    await driver.send({ type: "streaming", isStreaming: false });
    await driver.send({ type: "sendState", queue: { ...queue, hold: "The last response failed." } });
    await driver.takePosted();
    await eventually(async () =>
      assert.ok(await region().getByText("The last response failed.").isVisible()),
    );
    await region().getByRole("button", { name: "Send Next" }).click();
    assert.deepEqual(await driver.takeActions(), [{ type: "queueSend", messageId: "a" }]);
  });

  it("highlights one button of the composer: what Enter does, or Stop while there is nothing to send", async () => {
    const highlighted = () =>
      driver.page
        .locator(".composer .action-button:not(.is-secondary):visible")
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")));
    await eventually(async () => assert.deepEqual(await highlighted(), ["Stop"]));
    await box().fill("Next");
    await eventually(async () => assert.deepEqual(await highlighted(), ["Add to Queue"]));
  });
});
