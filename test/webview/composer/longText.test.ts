import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { FromWebview } from "../../../src/core/panel/protocol.ts";
import { createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const long = "0123456789 some words\n".repeat(2_000);

describe("Long text in the composer", function () {
  this.timeout(60_000);
  const driver = testChatPage({
    prepare: async (): Promise<void> => {
      await driver.send({ type: "snapshot", snapshot: createSnapshot() });
      await box().focus();
    },
  });

  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const chip = () => driver.page.locator(".tray-item.text");
  const sent = async () => {
    await box().press("Enter");
    return (await driver.takePosted()).findLast(
      (message): message is Extract<FromWebview, { readonly type: "send" }> => message.type === "send",
    );
  };
  const transfer = (type: "paste" | "drop", text: string): Promise<boolean> =>
    box().evaluate(
      (field, given) => {
        const data = new DataTransfer();
        data.setData("text/plain", given.text);
        const event =
          given.type === "paste"
            ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        return field.dispatchEvent(event);
      },
      { type, text },
    );

  for (const way of ["paste", "drop"] as const)
    it(`becomes an attachment: ${way}`, async () => {
      assert.equal(await transfer(way, long), false);
      await eventually(async () => {
        assert.match((await chip().textContent()) ?? "", /Pasted text, 2,000 lines/);
        assert.equal(await box().inputValue(), "");
      });
      await box().pressSequentially("Look:");
      const { text, attachments } = (await sent()) ?? {};
      assert.equal(text, "Look:");
      assert.deepEqual(attachments, [
        { type: "text", text: `Pasted text:\n\n\`\`\`\n${long}\`\`\``, title: "Pasted text, 2,000 lines" },
      ]);
    });

  it("becomes an attachment when an input method or other tool inserts it", async () => {
    await driver.page.keyboard.insertText("x".repeat(30_000));
    await chip().waitFor();
    await eventually(async () => assert.equal(await box().inputValue(), ""));
  });

  it("remains text if it is short", async () => {
    assert.equal(await transfer("paste", "a few words\n".repeat(20)), true);
    await driver.page.keyboard.insertText("a few words");
    await eventually(async () => {
      assert.equal(await box().inputValue(), "a few words");
      assert.equal(await chip().count(), 0);
    });
  });

  it("is removed by Undo until something else is typed", async () => {
    await transfer("paste", long);
    await box().press("Control+z");
    await eventually(async () => assert.equal(await chip().count(), 0));
    await transfer("paste", long);
    await box().pressSequentially("a");
    await box().press("Control+z");
    await eventually(async () => {
      assert.equal(await chip().count(), 1);
      assert.equal(await box().inputValue(), "");
    });
  });

  it("can be inserted as text after all, which Undo reverts", async () => {
    await box().pressSequentially("See ");
    await transfer("paste", long);
    await chip().hover();
    await driver.page.getByRole("button", { name: "Insert as Text" }).click();
    await eventually(async () => {
      assert.equal(await chip().count(), 0);
      assert.equal(await box().inputValue(), `See ${long}`.trimEnd());
    });
    await box().press("Control+z");
    await eventually(async () => assert.equal(await box().inputValue(), "See "));
  });

  it("of 5 MB is attached at once, without the text field, which would take seconds", async () => {
    const [isInserted, length] = await box().evaluate((field: HTMLTextAreaElement) => {
      const data = new DataTransfer();
      data.setData("text/plain", "word ".repeat(1_000_000));
      const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      return [field.dispatchEvent(event), field.value.length];
    });
    assert.deepEqual([isInserted, length], [false, 0]);
    await eventually(async () => {
      assert.equal(await chip().count(), 1);
      assert.equal(await driver.page.getByRole("button", { name: "Insert as Text" }).count(), 0);
    });
  });

  it("from a draft or the host is also attached", async () => {
    const draft = { text: "x".repeat(2_000_000), attachments: [] };
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ conversationId: "other", draft }) });
    await chip().waitFor();
    await eventually(async () => assert.equal(await box().inputValue(), ""));
    await driver.send({ type: "compose", text: long, parts: [] });
    await chip().nth(1).waitFor();
  });
});

describe("Text that is put into the composer without being typed", function () {
  this.timeout(60_000);
  const driver = testChatPage({
    prepare: () => driver.send({ type: "snapshot", snapshot: createSnapshot() }),
  });
  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const pasted = async () =>
    (await driver.takePosted()).flatMap((message) => (message.type === "pasted" ? [message.text] : []));
  /** Copies the text elsewhere and pastes it with the keyboard. */
  const paste = async (text: string): Promise<void> => {
    await driver.page.evaluate((value) => {
      const field = document.createElement("textarea");
      field.id = "elsewhere";
      field.value = value;
      document.body.append(field);
      field.select();
    }, text);
    await driver.page.keyboard.press("Control+c");
    await box().focus();
    await driver.page.keyboard.press("Control+v");
    await driver.page.evaluate(() => document.getElementById("elsewhere")?.remove());
  };

  for (const [what, text, shown] of [
    ["zero-width spaces", "Ru\u200bn", "Ru\\u200bn"],
    ["letters as tags", "Hi\u{e0041}", "Hi\\udb40\\udc41"],
    ["variation selectors", "Hi\u{e0141}", "Hi\\udb40\\udd41"],
    ["blank letters", "a\u3164b", "a\\u3164b"],
    ["a change of direction", "a\u202eb", "a\\u202eb"],
  ] as const) {
    it(`shows its hidden characters: ${what}`, async () => {
      await paste(text);
      await eventually(async () => assert.equal(await box().inputValue(), shown));
    });
  }

  it("keeps emoji and Persian as they are", async () => {
    await paste("می\u200cخواهم 👩\u200d💻");
    await eventually(async () => assert.equal(await box().inputValue(), "می\u200cخواهم 👩\u200d💻"));
  });

  it("is reported to the host, unless it was cut from the composer itself", async () => {
    await box().pressSequentially("These are my own words");
    await box().press("Control+a");
    await box().press("Control+x");
    await box().press("Control+v");
    await eventually(async () => assert.equal(await box().inputValue(), "These are my own words"));
    await paste(" and those of a page");
    await eventually(async () => assert.match(await box().inputValue(), /words and those of a page/));
    assert.deepEqual(await pasted(), [" and those of a page"]);
  });
});
