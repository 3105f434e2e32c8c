import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

declare global {
  var restoreFrames: () => void;
}

describe("A long message of which only the beginning is shown yet", function () {
  this.timeout(240_000);
  const driver = testChatPage();

  const show = (...texts: readonly string[]): Promise<void> =>
    driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        messages: texts.map((text, index) => createMessage({ id: `a${index}`, text })),
      }),
    });

  /**
   * Makes the page's frames so rare that showing a long message takes half a minute: the test has to look at the page
   * before that.
   */
  const slowFrames = (): Promise<void> =>
    driver.page.evaluate(() => {
      const request = requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => window.setTimeout(() => request(callback), 250);
      globalThis.restoreFrames = () => void (window.requestAnimationFrame = request);
    });

  const restoreFrames = (): Promise<void> => driver.page.evaluate(() => globalThis.restoreFrames());

  const items = (
    count: number,
    text = "with some words, so that it takes a while to show all of them",
  ): string => Array.from({ length: count }, (_, index) => `- Item ${index} ${text}.\n`).join("");

  const lastItem = (): Promise<void> =>
    driver.page.getByText("The last needle").waitFor({ state: "attached", timeout: 200_000 });

  const marked = (): Promise<readonly (string | undefined)[]> =>
    driver.page.evaluate(() =>
      [...(CSS.highlights.get("found-current") ?? [])].map(
        ({ startContainer }) => startContainer.parentElement?.textContent.split(" needle")[0],
      ),
    );

  it("can be searched to its last match, which comes later", async () => {
    await show("Some words.");
    // Loads the search.
    await driver.page.keyboard.press("Control+f");
    const input = driver.page.getByRole("textbox", { name: "Find in Conversation" });
    await input.fill("needle");
    await driver.page.getByText("No results").waitFor();
    await slowFrames();
    await show(`- The first needle\n${items(10_000)}- The last needle\n`);
    await input.fill("needle");
    await eventually(async () => assert.deepEqual(await marked(), ["The first"]));
    assert.equal(await driver.page.getByText("The last needle").count(), 0, "all of it is shown already");
    await restoreFrames();
    await lastItem();
    await input.press("Enter");
    await eventually(async () => assert.deepEqual(await marked(), ["The last"]));
    await input.press("Enter");
    await eventually(async () => assert.deepEqual(await marked(), ["The first"]));
  });

  it("can be searched for what comes later, also backwards", async () => {
    await show("Some words.");
    await driver.page.keyboard.press("Control+f");
    const input = driver.page.getByRole("textbox", { name: "Find in Conversation" });
    await input.fill("needle");
    await driver.page.getByText("No results").waitFor();
    await show(`${items(10_000)}- The last needle\n`);
    await input.fill("last needle");
    await eventually(async () => assert.deepEqual(await marked(), ["The last"]));
    await slowFrames();
    await show(`- The first needle\n${items(10_000)}- The last needle\n`, "One needle.");
    await input.fill("one needle");
    await eventually(async () => assert.deepEqual(await marked(), ["One"]));
    await input.fill("needle");
    await driver.page.getByText("3 of 3 results").waitFor();
    assert.deepEqual(await marked(), ["One"]);
    assert.equal(await driver.page.getByText("The last needle").count(), 0, "all of it is shown already");
    await restoreFrames();
    await input.press("Shift+Enter");
    await eventually(async () => assert.deepEqual(await marked(), ["The last"]));
  });

  it("is printed as a whole", async () => {
    await slowFrames();
    await show(`${items(10_000)}- The last needle\n`);
    assert.equal(await driver.page.getByText("The last needle").count(), 0, "all of it is shown already");
    const printed = await driver.page.evaluate(() => {
      window.dispatchEvent(new Event("beforeprint"));
      return document.querySelector(".transcript")?.textContent ?? "";
    });
    assert.match(printed, /The last needle/);
    await driver.page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  });
});
