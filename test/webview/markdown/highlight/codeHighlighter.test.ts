import assert from "node:assert/strict";
import { ChatPageDriver, createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testPage } from "../../support/pageTests.ts";

declare global {
  /** The page's monotonic time in milliseconds, which only the test advances. */
  var shownTime: number;
}

function block(name: string): string {
  return `Text.\n\n\`\`\`ts\nconst ${name} = 1;\n\`\`\`\n\n`;
}

describe("Code blocks of a response", function () {
  let text = "";
  const driver = new ChatPageDriver({ width: 500, height: 500 });
  testPage(driver, async () => {
    text = "";
    await driver.page.addInitScript(() => {
      globalThis.shownTime = 1_000;
      performance.now = () => globalThis.shownTime;
    });
    await driver.open();
  });

  /** Appends to the response, and waits until the browser has noticed what is in view. */
  async function append(added: string): Promise<void> {
    const delta = { textOffset: text.length, text: added, reasoningOffset: 0, reasoning: "" };
    await driver.send({ type: "delta", messageId: "a", ...delta });
    text += added;
    for (let frame = 0; frame < 3; frame += 1) await driver.frames();
    await driver.page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    await driver.frames();
  }

  async function pass(milliseconds: number): Promise<void> {
    await driver.page.evaluate((time) => void (globalThis.shownTime += time), milliseconds);
  }

  const highlighted = (): Promise<readonly string[]> =>
    driver.page.locator(".code:has(.hljs-keyword) code").allTextContents();

  it("are highlighted at once, but in quick succession only if they stay in view", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        isStreaming: true,
        messages: [createMessage({ id: "a", status: "streaming" })],
      }),
    });
    await append(`${block("first")}Text.\n\n`);
    await driver.page.locator(".hljs-keyword").waitFor();
    await append(`${block("second")}Text.\n\n`);
    assert.deepEqual(await highlighted(), ["const first = 1;\n"]);
    await pass(300);
    await driver.page.locator(".code", { hasText: "second" }).locator(".hljs-keyword").waitFor();
    // The third one has left the view before its time.
    await append(`${block("third")}${"More text.\n\n".repeat(80)}${block("last")}Text.\n\n`);
    await append("More text.\n\n".repeat(80));
    await append(`${block("end")}Text.\n\n`);
    await pass(1_000);
    await driver.page.locator(".code", { hasText: "end" }).locator(".hljs-keyword").waitFor();
    const colored = ["const first = 1;\n", "const second = 1;\n", "const end = 1;\n"];
    assert.deepEqual(await highlighted(), colored);
    const third = driver.page.locator(".code", { hasText: "third" });
    await third.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await third.locator(".hljs-keyword").waitFor();
  });
});
