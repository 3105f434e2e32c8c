import assert from "node:assert/strict";
import { testChatPage } from "../../support/pageTests.ts";

describe("Keys on macOS", () => {
  const driver = testChatPage();

  const find = () => driver.page.getByRole("textbox", { name: "Find in Conversation" });

  it("leave Ctrl+F to the text field, and let Option type characters while Find is loading", async () => {
    await driver.page.addInitScript(() => {
      Object.defineProperty(navigator, "platform", { value: "MacIntel" });
    });
    await driver.open();
    await driver.page.evaluate(() => {
      for (const init of [
        { key: "f", metaKey: true },
        { key: "\u00f8", altKey: true },
        { key: "x", ctrlKey: true },
        { key: "y" },
      ])
        document.body.dispatchEvent(
          new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true }),
        );
    });
    await find().waitFor();
    assert.equal(await find().inputValue(), "\u00f8y");
    await find().press("Escape");
    await find().waitFor({ state: "hidden" });
    await driver.page.keyboard.press("Control+f");
    await driver.frames();
    assert.equal(await find().isVisible(), false);
  });
});
