import assert from "node:assert/strict";
import { readAttacks } from "../support/attacks.ts";
import { testChatPage } from "../support/pageTests.ts";
import { randomMarkdown } from "../support/randomMarkdown.ts";
import {} from "../support/render.ts";
import { createRandom } from "../../support/random.ts";
import { showcase } from "../support/samples.ts";

describe("MarkdownStream in a browser", function () {
  const driver = testChatPage({ prepare: (): Promise<void> => driver.loadRenderer() });

  /** The texts for which rendering in pieces and as a whole don't result in equal nodes. */
  async function findDifferences(texts: readonly string[], pieceLength: number): Promise<readonly string[]> {
    return await driver.page.evaluate(
      ({ all, length }) => {
        const render = (pieces: readonly string[], cutAbove: number): Node => {
          const root = document.createElement("div");
          const stream = globalThis.renderer.createStream(root, cutAbove);
          for (const piece of pieces) {
            stream.append(piece);
            stream.render();
          }
          stream.finish();
          stream.updateReferences();
          return root;
        };
        return all.filter((text) => {
          const pieces: string[] = [];
          for (let start = 0; start < text.length; start += length)
            pieces.push(text.slice(start, start + length));
          return !render(pieces, 0).isEqualNode(render([text], Number.POSITIVE_INFINITY));
        });
      },
      { all: texts, length: pieceLength },
    );
  }

  it("creates the same nodes for the showcase, unit by unit", async () => {
    assert.deepEqual(await findDifferences([showcase], 1), []);
  });

  it("creates the same nodes for attacks, a few units at a time", async () => {
    const texts = readAttacks().map(({ payload }) => payload);
    const short = texts.filter((text) => text.length < 300);
    // Splitting into single code units is tested without a browser.
    assert.deepEqual(await findDifferences(short, 5), []);
  });

  it("creates the same nodes for random documents", async () => {
    const texts = Array.from({ length: 60 }, (_, seed) => randomMarkdown(createRandom(seed + 1000), 40));
    assert.deepEqual(await findDifferences(texts, 3), []);
  });

  it("creates the same nodes for lists and quotes that are long enough to be grouped", async () => {
    const items = (create: (index: number) => string): string =>
      Array.from({ length: 200 }, (_, i) => create(i)).join("");
    const texts = [
      items((index) => `${index + 5}. ${index % 3 === 1 ? "[x] " : ""}Item of [it][a]\n`) +
        "\n[a]: https://example.org/\n",
      items((index) => `- Item\n${index % 9 === 0 ? "\n  More.\n" : ""}`),
      items((index) => `> Text ${index}\n>${index % 5 === 0 ? "\n> - Item" : ""}\n>\n`),
      `- All:\n${items((index) => `  ${index + 1}) Item\n`)}`,
      // The line after the items begins like another one, which would begin a group.
      `${"- Items\n".repeat(64)}---\n\nEnd\n`,
    ];
    assert.deepEqual(await findDifferences(texts, 3), []);
  });
});
