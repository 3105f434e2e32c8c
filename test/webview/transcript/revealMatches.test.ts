import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("Revealing a search match on the page", () => {
  const driver = testChatPage();

  const long = "Some paragraph.\n\n".repeat(60);
  const messages = [
    createMessage({ id: "q", text: "Where?" }),
    createMessage({ id: "a", role: "assistant", text: `${long}The **Needle** is here.\n\n${long}` }),
    ...Array.from({ length: 12 }, (_, i) => createMessage({ id: `m${i}`, role: "assistant", text: long })),
  ];

  /** The page scrolls again when what is above the match gets its real height. */
  const visible = (text: string): Promise<void> =>
    eventually(async () => {
      const match = await driver.page.getByText(text).boundingBox();
      assert.ok(match !== null && match.y > 0 && match.y < 700, `at ${match?.y}`);
    });

  const selectedText = (): Promise<string> => driver.page.evaluate(() => String(getSelection()));

  it("scrolls to the words and selects them, even in a message that isn't rendered yet", async () => {
    const show = { type: "showMessage", messageId: "a", words: ["needle"] } as const;
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) }, show);
    await driver.page.waitForFunction(() => String(getSelection()) === "Needle");
    await visible("Needle");
  });

  it("scrolls to where the words are closest together, not to the first of them", async () => {
    const show = { type: "showMessage", messageId: "a", words: ["paragraph", "needle"] } as const;
    const together = messages.map((message) =>
      message.id === "a"
        ? { ...message, text: `${long}A needle.\n\n${long}A needle paragraph.\n\n${long}` }
        : message,
    );
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: together }) }, show);
    await driver.page.waitForFunction(() => String(getSelection()) === "needle");
    await visible("A needle paragraph.");
  });

  it("selects the first word that is found if another isn't in the displayed text", async () => {
    const show = { type: "showMessage", messageId: "a", words: ["**needle", "here"] } as const;
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) }, show);
    await driver.page.waitForFunction(() => String(getSelection()) === "here");
  });

  it("shows the beginning of a message that contains none of the words", async () => {
    const show = { type: "showMessage", messageId: "a", words: [] } as const;
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) }, show);
    await driver.page.waitForFunction(() => document.activeElement?.getAttribute("data-message-id") === "a");
    await eventually(async () => assert.equal(await selectedText(), ""));
  });

  it("waits for the best match in a message that takes many frames to show", async () => {
    const show = { type: "showMessage", messageId: "a", words: ["needle", "item"] } as const;
    const text = `- A needle.\n${"- Some item of a very long list.\n".repeat(50_000)}- The needle item.\n`;
    const snapshot = createSnapshot({ messages: [createMessage({ id: "a", text })] });
    await driver.send({ type: "snapshot", snapshot }, show);
    await eventually(async () => assert.equal(await selectedText(), "needle"));
    await visible("The needle item.");
  });
});
