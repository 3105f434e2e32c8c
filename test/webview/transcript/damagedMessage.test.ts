import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const question = createMessage({ id: "q", role: "user", text: "Pay 100.", isDamaged: true });
const response = createMessage({
  ...{ id: "a", parentId: "q", text: "Paid", status: "stopped", isDamaged: true },
});

describe("A message that was damaged on disk", function () {
  const driver = testChatPage({ width: 600, height: 700 });

  const note = (id: string) => driver.page.locator(`[data-message-id="${id}"] .message-note`);

  it("has a note that later requests omit it until the user includes it", async () => {
    const snapshot = createSnapshot({ messages: [question, response], unsent: ["q", "a"] });
    await driver.send({ type: "snapshot", snapshot });
    for (const id of ["q", "a"]) {
      await eventually(async () =>
        assert.match(await note(id).innerText(), /was damaged on disk.*isn't included in later requests/u),
      );
      await driver.takePosted();
      await note(id).getByRole("button", { name: "Include" }).press("Enter");
      assert.deepEqual(await driver.takePosted(), [
        { type: "messageAction", action: "includeMessage", messageId: id },
      ]);
    }
    await driver.send({ type: "unsent", ids: [] });
    for (const id of ["q", "a"]) {
      await eventually(async () => {
        assert.match(
          await note(id).innerText(),
          /was damaged on disk: part of it may be missing or wrong\.$/u,
        );
        assert.equal(await note(id).getByRole("button").count(), 0);
      });
    }
  });

  it("can't be continued", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, response] }) });
    await note("a").waitFor();
    assert.equal(await driver.page.getByRole("button", { name: "Continue from Here" }).count(), 0);
  });

  it("can be continued next to Retry if it is only incomplete", async () => {
    const messages = [
      createMessage({ id: "q", role: "user", text: "Pay 100." }),
      createMessage({ id: "a", parentId: "q", text: "Paid", status: "stopped" }),
    ];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    const line = driver.page.locator(".stopped").filter({ hasText: "You stopped this response." });
    await eventually(async () =>
      assert.deepEqual(await line.getByRole("button").allInnerTexts(), ["Retry", "Continue from Here"]),
    );
  });

  it("is distinguished from an undamaged one, which has no note", async () => {
    const sound = createMessage({ id: "s", role: "user", text: "Sound." });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [sound] }) });
    await driver.page.getByText("Sound.").waitFor();
    assert.equal(await note("s").isVisible(), false);
  });
});
