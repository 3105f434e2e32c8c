import assert from "node:assert/strict";
import { testChatPage } from "../../support/pageTests.ts";

describe("Undo and redo in a text field", () => {
  const driver = testChatPage();

  it("leave another field alone once nothing is left in this one", async () => {
    const { page } = driver;
    const composer = page.getByRole("textbox", { name: "Message", exact: true });
    await composer.click();
    await page.keyboard.type("draft");
    await page.keyboard.press("Control+f");
    const find = page.getByRole("textbox", { name: "Find in Conversation" });
    await find.waitFor();
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("found");
    for (let count = 0; count < 8; count += 1) await page.keyboard.press("Control+z");
    assert.deepEqual([await composer.inputValue(), await find.inputValue()], ["draft", ""]);
    for (let count = 0; count < 8; count += 1) await page.keyboard.press("Control+y");
    assert.deepEqual([await composer.inputValue(), await find.inputValue()], ["draft", "found"]);
    assert.ok(await find.evaluate((field) => field === document.activeElement));
  });
});

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
