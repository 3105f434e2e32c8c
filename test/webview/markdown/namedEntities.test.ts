import assert from "node:assert/strict";
import { decodeHTMLStrict } from "entities";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";

const references = [
  "&copy;",
  "&notit;",
  "&semi;",
  "&ThickSpace;",
  "&fjlig;",
  "&nope;",
  "&amp;lt;",
  "&AMP;",
  "&ampx;",
];

describe("Named entities in the page", () => {
  let driver: ChatPageDriver;

  before(async () => {
    driver = await ChatPageDriver.start();
    await driver.open();
  });

  after(() => driver.close());

  it("are decoded by the browser as the package does it", async () => {
    const text = references.map((reference) => `x${reference}x`).join("\n\n");
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ text })] }),
    });
    const shown = await driver.page.locator("article .markdown:not(.reasoning-text) p").allTextContents();
    assert.deepEqual(
      shown,
      references.map(
        (reference) => `x${reference.replaceAll(/&[a-z]+;/gi, (name) => decodeHTMLStrict(name))}x`,
      ),
    );
  });
});
