import assert from "node:assert/strict";
import type { CDPSession, Locator } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { findViolations } from "../support/axe.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

declare global {
  /** The list item whose number is measured. */
  var item: Element;
}

describe("A single block that is very long", function () {
  const driver = testChatPage({ width: 700, height: 600 });

  async function stream(text: string, pieceLength = 100_000): Promise<void> {
    const messages = [createMessage({ id: "a", text: "", status: "streaming" })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ isStreaming: true, messages }) });
    for (let start = 0; start < text.length; start += pieceLength) {
      await driver.send({
        type: "delta",
        messageId: "a",
        textOffset: start,
        text: text.slice(start, start + pieceLength),
        reasoningOffset: 0,
        reasoning: "",
      });
      await driver.frames();
    }
  }

  /** The parts that are shown, and the greatest number of children of one element. */
  const readParts = (part: string): Promise<{ readonly parts: readonly string[]; readonly widest: number }> =>
    driver.page.evaluate(
      (selector) => ({
        parts: [...document.querySelectorAll(selector)].map((element) => element.textContent),
        widest: [
          ...document.querySelectorAll(
            ".markdown :is(p, code, ol, blockquote), .markdown :is(p, code, ol, blockquote) .part-group",
          ),
        ].reduce((widest, element) => Math.max(widest, element.childElementCount), 0),
      }),
      part,
    );

  it("of code gives the browser few siblings to visit in each frame, and loses no line", async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `const m${index} = 1;\n`).join("");
    await stream(`\`\`\`ts\n${lines}\`\`\`\n`);
    await eventually(async () => {
      const { parts, widest } = await readParts(".code-lines");
      assert.equal(parts.join(""), lines);
      assert.ok(parts.length > 400 && widest < 60, `${widest} siblings of ${parts.length} parts`);
    });
  });

  it("of text gives the browser few siblings to visit in each frame, and loses no word", async () => {
    const words = Array.from({ length: 30_000 }, (_, index) => `Word m${index} of a line. `)
      .join("")
      .trim();
    await stream(words);
    await eventually(async () => {
      const { parts, widest } = await readParts(".run");
      assert.equal(parts.join(""), words);
      assert.ok(parts.length > 100 && widest < 60, `${widest} siblings of ${parts.length} parts`);
    });
  });

  it("of code shows no gap between groups of lines", async () => {
    await stream(`\`\`\`ts\n${"const a = 1;\n".repeat(64 * 80)}\`\`\`\n`);
    const groups = driver.page.locator(".part-group");
    await groups.nth(2).waitFor({ state: "attached" });
    await eventually(async () => {
      await groups.nth(1).evaluate((group) => group.scrollIntoView());
      await driver.frames();
      const gap = await groups.nth(1).evaluate((group) => {
        const [before, first] = [group.previousElementSibling?.lastElementChild, group.firstElementChild];
        return (first?.getBoundingClientRect().top ?? NaN) - (before?.getBoundingClientRect().bottom ?? NaN);
      });
      assert.ok(Math.abs(gap) < 0.5, `${gap} px between two groups`);
    });
  });

  it("of items gives the browser few siblings to visit in each frame, and loses no item", async () => {
    await stream(
      `${Array.from({ length: 3_000 }, (_, index) => `${index + 1}. Item m${index}\n`).join("")}\n`,
    );
    await eventually(async () => {
      const { parts, widest } = await readParts(".markdown li");
      assert.equal(parts.join(" "), Array.from({ length: 3_000 }, (_, index) => `Item m${index}`).join(" "));
      assert.ok(widest < 150, `${widest} siblings`);
    });
  });

  it("of quoted text gives the browser few siblings to visit in each frame, and loses no word", async () => {
    await stream(Array.from({ length: 3_000 }, (_, index) => `> Word m${index}\n>\n`).join(""));
    await eventually(async () => {
      const { parts, widest } = await readParts("blockquote p");
      assert.equal(parts.join(" "), Array.from({ length: 3_000 }, (_, index) => `Word m${index}`).join(" "));
      assert.ok(widest < 150, `${widest} siblings`);
    });
  });

  it("of items numbers them across groups, also when an item becomes a task", async () => {
    const session = await driver.page.context().newCDPSession(driver.page);
    const markers = async (): Promise<readonly unknown[]> =>
      (await session.send("Accessibility.getFullAXTree")).nodes
        .filter((node) => node.role?.value === "ListMarker")
        .map((node) => node.name?.value);
    const numbers = Array.from({ length: 100 }, (_, index) => `${index + 7}. `);
    await stream(`${numbers.map((number) => `${number}Item\n`).join("")}\nEnd.\n`);
    await eventually(async () => assert.deepEqual(await markers(), numbers));
    // A task has no marker.
    await stream(
      `${numbers.map((number, index) => `${number}${index === 64 ? "[x] " : ""}It\n`).join("")}\n`,
      5,
    );
    const others = numbers.filter((_, index) => index !== 64);
    await eventually(async () => assert.deepEqual(await markers(), others));
  });

  for (const direction of ["ltr", "rtl"] as const)
    for (const width of [300, 500, 800])
      it(`of items shows all digits of long numbers, ${direction}, in a page of ${width} px`, async () => {
        const { page } = driver;
        await page.setViewportSize({ width, height: 600 });
        await driver.open();
        const word = direction === "rtl" ? "\u05e4\u05e8\u05d9\u05d8" : "Item";
        const lists = starts.map((start) =>
          Array.from({ length: 80 }, (_, index) => `${start + index}. ${word} ${word}\n`).join(""),
        );
        // So much text follows that the browser lays out the sections with the lists separately.
        const text = [...lists, ...Array.from({ length: 40 }, () => `${word} `.repeat(120))].join(
          "\n***\n\n",
        );
        const message = createMessage({ id: "a", text });
        await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
        await page.locator("hr").nth(starts.length).waitFor({ state: "attached" });
        await page.locator(".section").nth(1).waitFor({ state: "attached" });
        const session = await page.context().newCDPSession(page);
        for (const [index, start] of starts.entries())
          // The last item without a group, and the last of all.
          for (const at of [63, 79]) {
            const item = page.locator("ol").nth(index).locator("li").nth(at);
            // What is between may move the item once more when it is laid out.
            await eventually(async () => {
              const { before, after, isRtl } = await readMarker(session, item);
              assert.equal(isRtl, direction === "rtl");
              assert.deepEqual([before, after], ["LI", "LI"], `${start + at} in a page of ${width} px`);
            });
          }
      });

  it("of items has the usual indent up to three digits, and inside an item with a long number", async () => {
    await stream(`${Array.from({ length: 99 }, (_, index) => `${index + 901}. Item\n`).join("")}\nEnd.\n`);
    const indents = (items: readonly Element[]): readonly number[] =>
      items.map((item) => {
        const { marginInlineStart, fontSize } = getComputedStyle(item);
        return parseFloat(marginInlineStart) / parseFloat(fontSize);
      });
    const items = driver.page.locator(".markdown li");
    await eventually(async () => {
      const found = await items.evaluateAll(indents);
      assert.deepEqual([found.length, new Set(found)], [99, new Set([2])]);
    });
    // After an expensive frame, the next one has to wait.
    await stream("1000000. Item\n         - Inner item\n\nEnd.\n");
    await eventually(async () => {
      const [outer = NaN, inner = NaN, ...others] = await items.evaluateAll(indents);
      assert.ok(outer > 2 && inner === 2 && others.length === 0, `${outer}, ${inner} and ${others.join()}`);
    });
  });

  it("of items or quoted text is the same to screen readers in groups as without", async () => {
    const items = Array.from({ length: 150 }, (_, index) => `${index + 1}. Item\n`).join("");
    await stream(`${items}\n${"> Text\n>\n".repeat(150)}\n${items.replaceAll(/\d+\./g, "-")}\nEnd.\n\n`);
    await driver.page.getByText("End.").waitFor({ state: "attached" });
    assert.deepEqual(await findViolations(driver.page, "all"), []);
    // A task replaces the item that begins a group.
    const tasks = Array.from({ length: 66 }, (_, index) => `- ${index === 64 ? "[x] " : ""}Task\n`).join("");
    await stream(tasks, 7);
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("listitem").filter({ hasText: "Task" }).count(), 66),
    );
    assert.deepEqual(await findViolations(driver.page, "all"), []);
  });
});

/** First numbers of lists, the last of which becomes as long as a number in a list can be. */
const starts: readonly number[] = [1, 950, 9_950, 99_950, 999_950, 99_999_950, 999_999_919];

/** What is shown at both ends of an item's number: the element itself, unless the number is cut off there. */
async function readMarker(
  session: CDPSession,
  item: Locator,
): Promise<{ readonly before: string; readonly after: string; readonly isRtl: boolean }> {
  await item.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await item.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await item.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await item.evaluate((element) => (globalThis.item = element));
  const { result } = await session.send("Runtime.evaluate", { expression: "item" });
  const { node } = await session.send("DOM.describeNode", { objectId: result.objectId ?? "" });
  const marker = node.pseudoElements?.find(({ pseudoType }) => pseudoType === "marker");
  const { model } = await session.send("DOM.getBoxModel", {
    backendNodeId: marker?.backendNodeId ?? assert.fail("The item has no number."),
  });
  const [left = NaN, top = NaN, right = NaN, , , bottom = NaN] = model.border;
  return await item.evaluate(
    (element, { left, right, middle }) => {
      const nameAt = (x: number): string => document.elementFromPoint(x, middle)?.nodeName ?? "nothing";
      return {
        before: nameAt(left + 1),
        after: nameAt(right - 1),
        isRtl: getComputedStyle(element).direction === "rtl",
      };
    },
    { left, right, middle: (top + bottom) / 2 },
  );
}
