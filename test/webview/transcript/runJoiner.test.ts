import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

describe("A very long paragraph", function () {
  const driver = testChatPage({ width: 700, height: 700 });

  async function show(text: string): Promise<void> {
    const messages = [createMessage({ id: "a", text })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.page.locator(".run").nth(2).waitFor({ state: "attached" });
  }

  /** For each run except the first: the empty space at the end of the line before it, in CSS pixels. */
  const gaps = async (): Promise<readonly number[]> =>
    await driver.page.evaluate(() => {
      const edge = (run: Element, isEnd: boolean): DOMRect => {
        const texts = document.createTreeWalker(run, NodeFilter.SHOW_TEXT);
        const all: Text[] = [];
        while (texts.nextNode())
          if (texts.currentNode instanceof Text && texts.currentNode.data.trim() !== "")
            all.push(texts.currentNode);
        const node = isEnd ? all.at(-1) : all[0];
        const range = document.createRange();
        if (node === undefined) return range.getBoundingClientRect();
        const at = isEnd ? node.data.trimEnd().length - 1 : 0;
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
      };
      const runs = [...document.querySelectorAll(".run")];
      return runs.slice(1).map((run, index) => {
        const before = runs[index];
        if (before === undefined) return Number.NaN;
        const [end, start] = [edge(before, true), edge(run, false)];
        if (Math.abs(start.top - end.top) < 3) return start.left - end.right;
        return before.getBoundingClientRect().right - end.right;
      });
    });

  /** Runs are laid out and joined when they are near the viewport. */
  async function assertOne(most: number, first = 0): Promise<void> {
    const runs = driver.page.locator(".run");
    await runs.nth(first + 2).waitFor({ state: "attached" });
    const count = (await runs.count()) - 1;
    assert.ok(count > first + 1);
    for (let index = first; index < count; index += 1) {
      await eventually(async () => {
        await runs.nth(index + 1).evaluate((run) => run.scrollIntoView());
        await driver.frames();
        const gap = (await gaps())[index] ?? Number.NaN;
        assert.ok(gap > 0 && gap < most, `${gap} px behind run ${index}`);
      });
    }
  }

  const words = "Some *words* of one very long paragraph, with `code` and more of them. ".repeat(300);

  it("shows no break between its runs", async () => {
    await show(words);
    await assertOne(120);
  });

  it("shows no break between groups of runs", async () => {
    await show(words.repeat(5));
    // It is shown over several frames.
    await driver.page.locator(".part-group > .run").nth(2).waitFor({ state: "attached" });
    await assertOne(120, 22);
  });

  it("shows no break after its width has changed", async () => {
    await show(words);
    await assertOne(120);
    await driver.page.setViewportSize({ width: 453, height: 700 });
    await assertOne(120);
  });

  it("is one text to screen readers", async () => {
    await show(words);
    const whole = words.replaceAll(/[*`]/g, "").trim();
    // A long text is shown over several frames.
    await driver.page.waitForFunction(
      (length) => (document.querySelector(".markdown p")?.textContent.trim().length ?? 0) >= length,
      whole.length,
    );
    const text = (await driver.page.locator(".markdown p").textContent()) ?? "";
    assert.equal(text.trim(), whole);
  });
});
