import assert from "node:assert/strict";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";

declare global {
  var observed: Set<Element>;
}

/** Three chapters of code blocks and formulas. */
const text = Array.from(
  { length: 2_500 },
  (_, index) => `Formula $x_{${index}}$.\n\n\`\`\`ts\nconst value${index} = 1;\n\`\`\`\n\n`,
).join("");

describe("A response with thousands of code blocks and formulas", function () {
  let driver: ChatPageDriver;
  before(async () => {
    driver = await ChatPageDriver.start({ width: 700, height: 600 });
    await driver.page.addInitScript(() => {
      globalThis.observed = new Set();
      const { prototype } = IntersectionObserver;
      const { observe, unobserve } = prototype;
      prototype.observe = function (element) {
        observed.add(element);
        observe.call(this, element);
      };
      prototype.unobserve = function (element) {
        observed.delete(element);
        unobserve.call(this, element);
      };
    });
  });
  after(() => driver.close());

  it("shows them in color and typeset wherever it is scrolled to, and observes only those in sight", async () => {
    await driver.open();
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "a", text })] }),
    });
    const { page } = driver;
    for (const index of [2_499, 0, 1_250]) {
      const block = page.locator(".code", { hasText: `const value${index} = 1;` });
      await block.waitFor({ state: "attached" });
      // Sizes are estimated until the text in between has been laid out.
      for (let step = 0; step < 5; step += 1) {
        await block.evaluate((element) => element.scrollIntoView({ block: "center" }));
        await driver.frames();
      }
      await block.locator(".hljs-keyword").waitFor();
      await page
        .locator(".math.typeset", { hasText: String(index) })
        .first()
        .waitFor();
    }
    const count = await page.evaluate(() => observed.size);
    assert.ok(count < 700, `${count} elements are observed`);
  });
});
