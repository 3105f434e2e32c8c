import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("An empty chat in a low editor", function () {
  const driver = testChatPage({ width: 800, height: 420 });

  it("shows its icon and heading, however low it becomes, and follows the end once there are messages", async () => {
    const { page } = driver;
    const icon = page.locator(".empty-icon");
    const heading = page.getByRole("heading", { name: "Chat with your models" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({}) });
    await heading.waitFor();
    for (const height of [300, 250, 420, 260]) {
      await page.setViewportSize({ width: 600, height });
      await page.waitForFunction((wanted) => innerHeight === wanted, height);
      await driver.frames();
      const [iconBox, headingBox] = [await icon.boundingBox(), await heading.boundingBox()];
      assert.ok(iconBox !== null && headingBox !== null && iconBox.height > 0);
      assert.ok(iconBox.y >= 0 && headingBox.y > iconBox.y, `cut off at a height of ${height}`);
    }
    const text = "A line.\n\n".repeat(60);
    const messages = [
      createMessage({ id: "q", role: "user", text: "Why?" }),
      createMessage({ id: "a", text }),
    ];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await eventually(async () => {
      const [top, left] = await page
        .locator(".scroller")
        .evaluate(({ scrollTop, scrollHeight, clientHeight }) => [
          scrollTop,
          scrollHeight - clientHeight - scrollTop,
        ]);
      assert.ok(top !== undefined && left !== undefined && top > 200 && left < 4, `${top} ${left}`);
    });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ conversationId: "conversation-2" }) });
    await heading.waitFor();
    await eventually(async () => {
      const box = await icon.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.height > 0, "cut off after another conversation");
    });
  });
});
