import assert from "node:assert/strict";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage, testPage } from "../support/pageTests.ts";

declare global {
  var observed: Set<Element>;
}

/** Three chapters of code blocks and formulas. */
const text = Array.from(
  { length: 2_500 },
  (_, index) => `Formula $x_{${index}}$.\n\n\`\`\`ts\nconst value${index} = 1;\n\`\`\`\n\n`,
).join("");

describe("A response with thousands of code blocks and formulas", function () {
  this.timeout(240_000);
  const driver = new ChatPageDriver({ width: 700, height: 600 });
  testPage(driver, async () => {
    driver.page.setDefaultTimeout(120_000);
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
    await driver.open();
  });

  it("shows them in color and typeset wherever it is scrolled to, and observes only those near the viewport", async () => {
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

describe("A response that leaves the page before all of its code and formulas were in sight", function () {
  this.timeout(240_000);
  const driver = testChatPage({
    width: 700,
    height: 600,
    prepare: (): void => driver.page.setDefaultTimeout(120_000),
  });

  it("shows them in color and typeset after it has come back", async () => {
    const others = Array.from({ length: 60 }, (_, index) =>
      createMessage({ id: `b${index}`, text: `Response ${index}. ${"Some words. ".repeat(60)}` }),
    );
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        messages: [createMessage({ id: "a", text: text.slice(0, 4_000) }), ...others],
      }),
    });
    const { page } = driver;
    await page.locator("article", { hasText: "Response 59." }).waitFor();
    const scrollTo = (end: "top" | "bottom"): Promise<void> =>
      page.locator(".scroller").evaluate((scroller, to) => {
        scroller.scrollTop = to === "top" ? 0 : scroller.scrollHeight;
      }, end);
    const first = page.locator('article[data-message-id="a"]');
    await scrollTo("top");
    await first.locator(".math.typeset").first().waitFor();
    await first.locator(".hljs-keyword").first().waitFor();
    await scrollTo("bottom");
    await first.waitFor({ state: "detached" });
    await scrollTo("top");
    // In a section that was in sight, but far below.
    const later = first.locator(".code", { hasText: "const value25 = 1;" });
    await later.waitFor({ state: "attached" });
    await later.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await later.locator(".hljs-keyword").waitFor();
    await first.locator(".math.typeset", { hasText: "25" }).first().waitFor();
  });
});
