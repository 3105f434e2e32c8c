import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("A user's message", function () {
  const driver = testChatPage();

  async function show(text: string): Promise<void> {
    const messages = [createMessage({ id: "q", role: "user", text })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.frames();
    await driver.takePosted();
  }

  const editBox = () => driver.page.getByRole("textbox", { name: "Edit Message" });

  const texts: Readonly<Record<string, string>> = {
    lines: "const value = compute(1, 2, 3); // 😀\n".repeat(130_000),
    "one line of words": "word 😀 ".repeat(600_000),
    "one line without a space": "😀x".repeat(1_600_000),
  };
  for (const [kind, text] of Object.entries(texts)) {
    it(`of 5 MB (${kind}) is shown in blocks that aren't rendered off screen, and copied unchanged`, async () => {
      await show(text);
      await driver.page.locator(".plain-text > *").nth(2).waitFor({ state: "attached" });
      const seen = await driver.page.evaluate(() => {
        const plain = document.querySelector(".plain-text");
        const blocks = [...(plain?.children ?? [])];
        // Anything selected is laid out wherever it is, so a few blocks are enough.
        const [first, , third] = blocks;
        if (first === undefined || third === undefined) return undefined;
        getSelection()?.setBaseAndExtent(first, 0, third, 1);
        const clipboardData = new DataTransfer();
        first.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
        getSelection()?.empty();
        return {
          texts: blocks.map(({ textContent }) => textContent),
          copied: clipboardData.getData("text/plain"),
          skips: blocks.every((block) => getComputedStyle(block).contentVisibility === "auto"),
        };
      });
      const texts = seen?.texts ?? [];
      assert.ok(texts.join("") === text, "The text is not the same.");
      assert.ok(seen?.copied === texts.slice(0, 3).join(""), "The copied text is not the same.");
      assert.ok(seen.skips);
      assert.ok(texts.every((block) => block.length <= 16_000 && !/^[\udc00-\udfff]/.test(block)));
    });
  }

  it("turns a long text that is pasted during an edit into an attachment, which can be inserted or removed", async () => {
    await show("Look at this");
    await driver.page.getByRole("button", { name: "Edit Message" }).click();
    await editBox().evaluate((area) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "A line that is pasted.\n".repeat(250_000));
      area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
    await eventually(async () => assert.equal(await editBox().inputValue(), "Look at this"));
    await driver.page.locator(".message-editor").getByText("Pasted text, 250,000 lines").waitFor();
    await editBox().press("Enter");
    const [edit] = await driver.takeActions();
    assert.ok(edit?.type === "edit" && edit.text === "Look at this");
    assert.equal(edit.attachments.length, 1);
    assert.ok(edit.attachments[0]?.type === "text" && edit.attachments[0].text.length > 5_000_000);
  });

  it("keeps the focus in its editor if Edit is double-clicked", async () => {
    await show("Look at this");
    await driver.page.getByRole("button", { name: "Edit Message" }).dblclick();
    await eventually(async () => assert.equal(await editBox().inputValue(), "Look at this"));
    await driver.frames();
    assert.equal(await editBox().evaluate((area) => document.activeElement === area), true);
    await driver.page.keyboard.type("!");
    assert.equal(await editBox().inputValue(), "Look at this!");
  });

  it("of 1 MB is edited as an attachment next to an empty text field, which can be sent", async () => {
    await show("A line that was sent.\n".repeat(50_000));
    await driver.page.getByRole("button", { name: "Edit Message" }).click();
    await eventually(async () => assert.equal(await editBox().inputValue(), ""));
    await editBox().press("Enter");
    const [edit] = await driver.takeActions();
    assert.ok(edit?.type === "edit" && edit.attachments.length === 1);
  });
});
