import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const hebrew = `שלום עולם

> ציטוט

| עמודה | מספר |
| --- | --- |
| אחת | 1 |

- [x] בוצע

\`\`\`ts
const a = 1;
\`\`\`

English`;

describe("Right-to-left text", function () {
  const driver = testChatPage();

  const direction = (selector: string): Promise<string> =>
    driver.page
      .locator(`.transcript ${selector}`)
      .last()
      .evaluate((element) => getComputedStyle(element).direction);

  it("is shown right to left block by block, also while streaming: quotes, tables and tasks, but not code", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ isStreaming: true }) });
    const streaming = createMessage({ id: "a", status: "streaming" });
    await driver.send({ type: "messageAdded", message: streaming });
    for (const [textOffset, text] of [...hebrew].entries()) {
      await driver.send({
        type: "delta",
        messageId: "a",
        textOffset,
        text,
        reasoningOffset: 0,
        reasoning: "",
      });
    }
    // Not in the whole page: the announcement of the response contains the same word.
    await driver.page.locator(".transcript").getByText("English").waitFor();
    for (const selector of ["blockquote", "table", "td >> nth=0", "li.task"]) {
      await eventually(async () => assert.equal(await direction(selector), "rtl", selector));
    }
    for (const selector of ["pre", "p"])
      await eventually(async () => assert.equal(await direction(selector), "ltr", selector));
    const [box, words] = await driver.page.locator("li.task").evaluate((item) => {
      const range = document.createRange();
      range.selectNodeContents(item.lastChild ?? item);
      return [item.querySelector("input")?.getBoundingClientRect(), range.getBoundingClientRect()];
    });
    assert.ok(box !== undefined && words !== undefined && box.left >= words.right);
  });
});
