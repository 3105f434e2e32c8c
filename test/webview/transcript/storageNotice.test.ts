import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const sentence =
  "The conversation file /home/me/[x](command:y)/conversations.db can't be opened: the disk, the folder, or the file is read-only. What you write is kept in memory until the file can be opened.";

describe("The notice that conversations can't be saved", function () {
  const driver = testChatPage({
    width: 420,
    height: 600,
    prepare: async (): Promise<void> => {
      const messages = [createMessage({ id: "q", role: "user", text: "Hello" })];
      await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    },
  });

  const notice = () => driver.page.getByRole("alert");

  it("stays above the composer, complete and as plain text, until they are saved again", async () => {
    await driver.send({ type: "storageTrouble", sentence });
    await eventually(async () => {
      assert.equal(await notice().innerText(), sentence);
      assert.equal(await notice().getByRole("link").count(), 0);
    });
    const [box, composer] = await Promise.all([
      notice().boundingBox(),
      driver.page.getByRole("textbox").boundingBox(),
    ]);
    assert.ok(box !== null && composer !== null);
    assert.ok(box.x >= 0 && box.x + box.width <= 420, "nothing is cut off");
    assert.ok(box.y + box.height <= composer.y, "above the composer");
    await driver.send({ type: "storageTrouble" });
    await eventually(async () => assert.equal(await notice().count(), 0));
  });

  it("is announced once by screen readers, however often it is repeated", async () => {
    await driver.send({ type: "storageTrouble", sentence });
    const first = await notice().elementHandle();
    await driver.send({ type: "storageTrouble", sentence });
    assert.equal(await first?.evaluate((element) => element.isConnected), true, "the same element");
  });

  it("leaves the composer usable", async () => {
    await driver.send({ type: "storageTrouble", sentence });
    await driver.page.getByRole("textbox").fill("Still here.");
    await driver.takePosted();
    await driver.page.getByRole("textbox").press("Enter");
    assert.ok((await driver.takePosted()).some(({ type }) => type === "send"));
  });
});
