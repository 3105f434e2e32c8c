import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

declare global {
  /** How many formulas have been typeset in each frame so far. */
  var typesetPerFrame: number[];
  var typesetFarAway: string[];
  var growing: ReturnType<typeof setInterval>;
}

describe("Formulas on the page", function () {
  const driver = testChatPage({ width: 500, height: 500 });

  async function show(text: string, status: "complete" | "streaming" = "complete"): Promise<void> {
    const messages = [createMessage({ id: "a", text, status })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.frames();
  }

  /** Adds a formula every 20 ms to a text of this length (UTF-16 units). */
  async function startGrowing(textLength: number): Promise<void> {
    await driver.page.evaluate((length) => {
      let offset = length;
      globalThis.growing = setInterval(() => {
        const more = `And $y_{${offset}}$ too. `;
        const delta = { textOffset: offset, text: more, reasoningOffset: 0, reasoning: "" };
        offset += more.length;
        window.dispatchEvent(
          new MessageEvent("message", { data: { type: "delta", messageId: "a", ...delta } }),
        );
      }, 20);
    }, textLength);
  }

  const stopGrowing = () => driver.page.evaluate(() => clearInterval(globalThis.growing));

  const formula = () => driver.page.locator(".math");

  it("are typeset under the page's content security policy, with MathML for screen readers", async () => {
    await show("$\\sqrt{x}$ and $$\\vec{a} = \\oiint \\phase{b} \\boxed{c}$$");
    await driver.page.locator(".math.typeset").nth(1).waitFor();
    await eventually(async () => {
      assert.equal(await driver.page.locator(".math msqrt").count(), 1);
      assert.equal(await driver.page.locator('.katex-html[aria-hidden="true"]').count(), 2);
    });
    const height = await driver.page
      .locator(".math .katex-strut")
      .first()
      .evaluate((strut) => strut.style.height);
    assert.match(height, /em$/);
  });

  it("load their bundle only if there is one", async () => {
    await show("No formula, $5 and $10.");
    await driver.frames();
    assert.deepEqual(
      driver.requestedFiles.filter((name) => /math/i.test(name)),
      [],
    );
    await show("A formula: $x$");
    await driver.page.locator(".math.typeset").waitFor();
    assert.ok(
      driver.requestedFiles.includes("typesetMath.js") && driver.requestedFiles.includes("mathStyle.css"),
    );
    assert.ok(driver.requestedFiles.every((name) => !/\.woff$|KaTeX.*\.ttf$/.test(name)));
  });

  it("are typeset while the response streams, once they are closed", async () => {
    await show("So $x", "streaming");
    await eventually(async () => assert.equal(await formula().count(), 0));
    const delta = { textOffset: 5, text: "^2$ and", reasoningOffset: 0, reasoning: "" };
    await driver.send({ type: "delta", messageId: "a", ...delta });
    await driver.page.locator(".math.typeset").waitFor();
    const node = await formula().elementHandle();
    await driver.send({ type: "delta", messageId: "a", ...delta, textOffset: 12, text: " more, $y$ too" });
    await driver.page.locator(".math.typeset").nth(1).waitFor();
    assert.ok(await node?.evaluate((element) => element.isConnected && element.matches(".typeset")));
  });

  it("in one paragraph of thousands are typeset where the user is reading", async () => {
    const text = Array.from({ length: 3000 }, (_, index) => `Word and $x_{${index}}$ and then. `).join("");
    await show(text);
    const isTypeset = (index: number): Promise<unknown> =>
      driver.page.locator(`.math.typeset[data-math="x_{${index}}"]`).waitFor();
    await isTypeset(2999);
    await driver.page.locator(".scroller").evaluate((element) => (element.scrollTop = 0));
    await isTypeset(0);
    const count = await driver.page.locator(".math.typeset").count();
    assert.ok(count < 2000, `${count} of 3,000 formulas are typeset`);
  });

  it("that arrive by the thousand are typeset a few per frame, until all that stay in view are typeset", async () => {
    await show("", "streaming");
    await driver.page.evaluate(() => {
      globalThis.typesetPerFrame = [0];
      new MutationObserver((records) => {
        const { length } = records.filter(({ target }) => (target as Element).matches(".math.typeset"));
        globalThis.typesetPerFrame.push((globalThis.typesetPerFrame.pop() ?? 0) + length);
      }).observe(document.body, { subtree: true, attributeFilter: ["class"] });
      const onFrame = (): void => {
        globalThis.typesetPerFrame.push(0);
        requestAnimationFrame(onFrame);
      };
      requestAnimationFrame(onFrame);
    });
    const step = 3_000;
    const text = Array.from({ length: 3000 }, (_, index) => `Word and $x_{${index}}$ and then. `).join("");
    for (let start = 0; start < text.length; start += step) {
      const delta = { textOffset: start, text: text.slice(start, start + step), reasoningOffset: 0 };
      await driver.send({ type: "delta", messageId: "a", reasoning: "", ...delta });
      await driver.frames();
    }
    const last = driver.page.locator(`.math[data-math="x_{2999}"]`);
    await last.waitFor({ state: "attached" });
    await last.evaluate((element) => element.scrollIntoView());
    await driver.page.locator(`.math.typeset[data-math="x_{2999}"]`).waitFor();
    // All visible formulas are typeset in the end.
    await driver.page.waitForFunction(() =>
      [...document.querySelectorAll(".math:not(.typeset)")].every((formula) => {
        const { top, bottom } = formula.getBoundingClientRect();
        return bottom < 0 || top > innerHeight;
      }),
    );
    const counts = await driver.page.evaluate(() => globalThis.typesetPerFrame);
    assert.ok(Math.max(...counts) <= 16, `${Math.max(...counts)} formulas were typeset in one frame`);
  });

  it("above the viewport aren't typeset while text is arriving, but are afterward", async () => {
    const text = Array.from({ length: 400 }, (_, index) => `Word and $x_{${index}}$ and then. `).join("");
    await show(text, "streaming");
    await driver.page.evaluate(() => {
      globalThis.typesetFarAway = [];
      let arrivedAt = -Infinity;
      new MutationObserver((records) => {
        const now = performance.now();
        for (const { target, addedNodes } of records) {
          if ([...addedNodes].some((node) => (node as Element).matches?.(".math, :has(.math)")))
            arrivedAt = now;
          if (!(target instanceof Element) || !target.matches(".math.typeset")) continue;
          // Typesetting the others may have moved it a little.
          if (target.getBoundingClientRect().bottom < -200 && now - arrivedAt < 200)
            globalThis.typesetFarAway.push(target.getAttribute("data-math") ?? "");
        }
      }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["class"] });
    });
    await startGrowing(text.length);
    // Any of them: the last at the start may have left the viewport before its turn.
    await driver.page.locator(".math.typeset").last().waitFor();
    await driver.page.waitForFunction(() => document.querySelectorAll('.math[data-math^="y"]').length > 40);
    await stopGrowing();
    assert.deepEqual(await driver.page.evaluate(() => globalThis.typesetFarAway), []);
    const isAbove = (): boolean =>
      [...document.querySelectorAll(".math.typeset")].some(
        (formula) => formula.getBoundingClientRect().bottom < -200,
      );
    await driver.page.waitForFunction(isAbove);
  });

  it("in view are typeset while text keeps arriving, even if hundreds around them are waiting", async () => {
    const text = Array.from({ length: 1500 }, (_, index) => `$x_{${index}}$ `).join("");
    await show(text, "streaming");
    await driver.page.locator(".scroller").evaluate((element) => (element.scrollTop = 0));
    await startGrowing(text.length);
    await driver.page.waitForFunction(() => document.querySelectorAll('.math[data-math^="y"]').length > 10);
    const count = await driver.page.locator('.math[data-math^="x"]').count();
    for (const index of [0, 30, 60])
      await driver.page.locator(`.math.typeset[data-math="x_{${index}}"]`).waitFor();
    await stopGrowing();
    assert.equal(count, 1500);
  });

  it("that shorten the text by as much as it grows don't stop the page from following it", async () => {
    const text = "A line of text.\n\n".repeat(60);
    await show(text, "streaming");
    const distance = (): Promise<number> =>
      driver.page
        .locator(".scroller")
        .evaluate((it) => Math.round(it.scrollHeight - it.clientHeight - it.scrollTop));
    await eventually(async () => assert.equal(await distance(), 0));
    // The effect of a formula that becomes shorter when it is typeset, in the frame that shows more text.
    const pad = (fromEnd: number, pixels: number): void => {
      const paragraph = [...document.querySelectorAll<HTMLElement>(".markdown p")].at(-fromEnd);
      if (paragraph !== undefined) paragraph.style.paddingTop = `${pixels}px`;
    };
    await driver.page.evaluate(`globalThis.pad = ${pad.toString()}; pad(30, 60);`);
    await driver.frames();
    await eventually(async () => assert.equal(await distance(), 0));
    await driver.page.evaluate("pad(30, 0); pad(1, 60);");
    for (let frame = 0; frame < 3; frame += 1) await driver.frames();
    const more = { textOffset: text.length, text: "More text.\n\n".repeat(20), reasoningOffset: 0 };
    await driver.send({ type: "delta", messageId: "a", reasoning: "", ...more });
    await driver.page.getByText("More text.").nth(19).waitFor({ state: "attached" });
    await eventually(async () => assert.equal(await distance(), 0));
  });

  it("that aren't valid TeX remain unchanged, with the reason", async () => {
    await show("$\\frac{1$");
    await driver.page.locator(".math.broken").waitFor();
    await eventually(async () => {
      assert.equal(await formula().textContent(), "$\\frac{1$");
      assert.match((await formula().getAttribute("title")) ?? "", /TeX can't be rendered/);
    });
  });

  it("contain no links, loaded resources or arbitrary styles", async () => {
    const attacks = [
      "\\href{javascript:alert(1)}{x}",
      "\\url{https://evil.example}",
      "\\includegraphics{https://evil.example/a.png}",
      "\\htmlStyle{position:fixed}{x}",
      "\\htmlId{app}{x}",
      "\\text{<img src=x onerror=alert(1)>}",
      "\\unicode{<script>}",
      "\\def\\a{\\a\\a}\\a",
      "\\rule{1000000em}{1000000em}",
      `${"{".repeat(900)}x${"}".repeat(900)}`,
    ];
    await show(attacks.map((tex) => `$${tex}$`).join(" "));
    await driver.page.waitForFunction(
      (count) => document.querySelectorAll(".math.typeset, .math.broken").length >= count,
      attacks.length,
    );
    await eventually(async () =>
      assert.equal(await driver.page.locator(".math :is(a, img, script, [id], [onerror])").count(), 0),
    );
    const width = await driver.page
      .locator(".math")
      .evaluateAll((all) => Math.max(...all.map((element) => element.getBoundingClientRect().width)));
    assert.ok(width < 1000, String(width));
  });

  it("in footnotes can be reached from their reference, and back", async () => {
    await show(`Text[^1].\n\n${"More words.\n\n".repeat(60)}[^1]: The note, $x$.`);
    await driver.page.getByRole("button", { name: "Footnote 1", exact: true }).click();
    const note = driver.page.locator('[data-footnote="1"]');
    await eventually(async () =>
      assert.ok(await note.evaluate((element) => element === document.activeElement)),
    );
    await driver.page.getByRole("button", { name: "Back to footnote reference 1" }).click();
    const mark = driver.page.getByRole("button", { name: "Footnote 1", exact: true });
    await eventually(async () =>
      assert.ok(await mark.evaluate((element) => element === document.activeElement)),
    );
  });
});
