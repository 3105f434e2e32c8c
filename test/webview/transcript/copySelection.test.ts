import assert from "node:assert/strict";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const text = `Energy is $E=mc^2$ here.

1. first
   with more
2. second
   - inner

- [x] done
- [ ] to do

\`\`\`python
def f():
    return 1
\`\`\`

| a | b |
|---|---|
| **one** | two |

$$
x^2
$$

Last <br> words`;

describe("A copied selection", function () {
  const driver = testChatPage();

  /** What is copied when everything from the first to the last of these words is selected. */
  async function copy(first: string, last: string): Promise<Readonly<Record<string, string>>> {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "r", text })] }),
    });
    await driver.page.locator(".math.typeset").first().waitFor();
    return await driver.page.evaluate(
      ([from = "", to = ""]) => {
        const root = document.querySelector("article .markdown:not(.reasoning-text)") ?? document.body;
        const find = (words: string): Text => {
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
            if (node instanceof Text && node.data.includes(words)) return node;
          throw new Error(`There is no “${words}”.`);
        };
        const [start, end] = [find(from), find(to)];
        getSelection()?.setBaseAndExtent(
          start,
          start.data.indexOf(from),
          end,
          end.data.indexOf(to) + to.length,
        );
        const data = new DataTransfer();
        start.parentElement?.dispatchEvent(
          new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }),
        );
        return { plain: data.getData("text/plain"), html: data.getData("text/html") };
      },
      [first, last],
    );
  }

  it("reads like what is shown, with formulas, numbers and check marks, and without labels", async () => {
    const { plain } = await copy("Energy", "words");
    assert.equal(
      plain,
      [
        "Energy is $E=mc^2$ here.",
        "1. first with more\n2. second\n   - inner",
        "[x] done\n[ ] to do",
        "def f():\n    return 1",
        "a\tb\none\ttwo",
        "$$x^2$$",
        "Last\nwords",
      ].join("\n\n"),
    );
  });

  it("leaves out what is hidden or folded between the first and the last word", async () => {
    const { page } = driver;
    const messages = [
      createMessage({ id: "u", role: "user", text: "Why?" }),
      createMessage({ id: "r", text: "Therefore.", reasoning: "Hm, let me think." }),
    ];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await page.getByText("Therefore.").waitFor();
    const copied = await page.evaluate(() => {
      const transcript = document.querySelector(".transcript") ?? document.body;
      getSelection()?.selectAllChildren(transcript);
      const data = new DataTransfer();
      const event = new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true });
      transcript.firstElementChild?.dispatchEvent(event);
      return { plain: data.getData("text/plain"), html: data.getData("text/html") };
    });
    assert.match(copied.plain, /Why\?[^]*Therefore\./);
    assert.match(copied.html, /Why\?[^]*Therefore\./);
    for (const text of Object.values(copied)) assert.doesNotMatch(text, /think|Not included/);
  });

  it("begins and ends where the selection does", async () => {
    assert.equal((await copy("rst", "seco"))["plain"], "rst with more\n2. seco");
    assert.equal((await copy("return", "return"))["plain"], "return");
  });

  it("is formatted for programs that accept formatted text", async () => {
    const { html = "" } = await copy("Energy", "words");
    assert.match(html, /<strong[^>]*>one<\/strong>/);
    assert.match(html, /\$E=mc\^2\$/);
    assert.doesNotMatch(html, /<button|code-language|katex/);
  });
});
