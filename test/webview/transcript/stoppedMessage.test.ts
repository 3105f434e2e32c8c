import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("A message whose response was stopped", function () {
  const driver = testChatPage({ width: 600, height: 700 });
  const question = createMessage({ id: "q", role: "user", text: "Pay 100." });
  const response = createMessage({ id: "a", parentId: "q", text: "Paid", status: "stopped" });

  it("has a note that later requests omit it until the user includes it", async () => {
    const note = driver.page.locator(`[data-message-id="q"] .message-note`);
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [question, response], unsent: ["q"] }),
    });
    await eventually(async () => assert.match(await note.innerText(), /Not included in later requests/u));
    await driver.takePosted();
    await note.getByRole("button", { name: "Include" }).press("Enter");
    assert.deepEqual(await driver.takePosted(), [
      { type: "messageAction", action: "includeMessage", messageId: "q" },
    ]);
    await driver.send({ type: "unsent", ids: [] });
    await note.waitFor({ state: "hidden" });
  });

  it("can be continued next to Retry", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, response] }) });
    const line = driver.page.locator(".stopped").filter({ hasText: "You stopped this response." });
    await eventually(async () =>
      assert.deepEqual(await line.getByRole("button").allInnerTexts(), ["Retry", "Continue from Here"]),
    );
  });
});
