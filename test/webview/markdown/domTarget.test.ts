import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { findViolations } from "../support/axe.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

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

  it("of items or quoted text is the same to screen readers in groups as without", async () => {
    const items = Array.from({ length: 150 }, (_, index) => `${index + 1}. Item\n`).join("");
    await stream(`${items}\n${"> Text\n>\n".repeat(150)}\n${items.replaceAll(/\d+\./g, "-")}\nEnd.\n\n`);
    await driver.page.getByText("End.").waitFor({ state: "attached" });
    assert.deepEqual(await findViolations(driver.page, "all"), []);
    // A task replaces the item that begins a group.
    const tasks = Array.from({ length: 66 }, (_, index) => `- ${index === 64 ? "[x] " : ""}Task\n`).join("");
    await stream(tasks, 7);
    assert.equal(await driver.page.getByRole("listitem").filter({ hasText: "Task" }).count(), 66);
    assert.deepEqual(await findViolations(driver.page, "all"), []);
  });
});
