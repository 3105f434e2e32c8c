import assert from "node:assert/strict";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testPage } from "../support/pageTests.ts";

/** Part of what VS Code adds to the head of each page. */
const defaultStyles = `<style id="_defaultStyles">@layer vscode-default {
  ::highlight(find-highlight) { background-color: rgb(1, 2, 3); }
  ::highlight(current-find-highlight) { background-color: rgb(4, 5, 6); }
  ::highlight(one), *::highlight(two) { color: red; }
}</style>`;

describe("Highlighted text in a page with VS Code's own styles", function () {
  const driver = new ChatPageDriver();
  testPage(driver, async () => {
    await driver.page.route(
      ({ pathname }) => pathname === "/",
      async (route) => {
        const body = await (await route.fetch()).text();
        await route.fulfill({
          body: body.replace("<head>", `<head>${defaultStyles}`),
          contentType: "text/html",
        });
      },
    );
    await driver.open();
  });

  it("has the same colors everywhere, although only the root element has rules for it", async () => {
    const messages = [createMessage({ id: "a", text: "Some `code`." })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.page.locator(".inline-code").waitFor();
    const { selectors, colors } = await driver.page.evaluate(() => {
      document.documentElement.style.setProperty("--vscode-editor-findMatchBackground", "rgb(7, 8, 9)");
      const found: string[] = [];
      const collect = (rules: CSSRuleList): void => {
        for (const rule of rules) {
          if (rule instanceof CSSStyleRule && rule.selectorText.includes("::highlight"))
            found.push(rule.selectorText);
          if (rule instanceof CSSGroupingRule) collect(rule.cssRules);
        }
      };
      for (const { cssRules } of document.styleSheets) collect(cssRules);
      const code = document.querySelector(".inline-code") ?? document.body;
      const names = ["find-highlight", "current-find-highlight", "found-current"];
      return {
        selectors: found,
        colors: names.map((name) => getComputedStyle(code, `::highlight(${name})`).backgroundColor),
      };
    });
    // A rule that matches all elements makes the browser keep separate styles for each of them.
    assert.deepEqual(selectors.toSorted(), [
      ":root::highlight(current-find-highlight)",
      ":root::highlight(find-highlight)",
      ":root::highlight(found)",
      ":root::highlight(found-current)",
      ":root::highlight(one), :root::highlight(two)",
    ]);
    assert.deepEqual(colors, ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)"]);
  });
});
