import assert from "node:assert/strict";
import { costsNow, mixedCosts } from "../../support/costFacts.ts";
import { eventually } from "../../support/eventually.ts";
import { findViolations } from "../support/axe.ts";
import { CostsPageDriver } from "../support/costsPageDriver.ts";
import { testPage } from "../support/pageTests.ts";
import { themes } from "../support/themes.ts";

const nothing = { runs: [], requests: [], now: costsNow };
const month = { period: "month", group: "day" } as const;

describe("The page of costs", function () {
  const driver = new CostsPageDriver();
  testPage(driver, () => Promise.resolve());

  const table = () => driver.page.getByRole("table", { name: "Costs", exact: true });
  const values = (total: string) => driver.page.getByRole("table", { name: `Costs over time: ${total}` });
  const period = (name: string) => driver.page.getByRole("button", { name, exact: true });
  const texts = async (row: number): Promise<readonly string[]> =>
    (await table().getByRole("row").nth(row).locator("th, td").allTextContents()).map((text) =>
      text.replaceAll("\u00a0", " "),
    );

  it("shows the costs of each day in a table whose last row is the total", async () => {
    await driver.open(mixedCosts);
    assert.deepEqual(await texts(0), [
      ...["Day", "Cost", "Estimated", "Running", "Requests", "Input Tokens", "Output Tokens"],
    ]);
    assert.deepEqual((await texts(1)).slice(0, 2), ["Nov 24", "$301.00 + €45.00 + unknown"]);
    assert.deepEqual((await texts(3)).slice(0, 2), ["Total", "$349.50 + €45.00 + unknown"]);
    const missing = await driver.page.getByRole("listitem").allTextContents();
    assert.ok(missing.includes("1 server without a price: eval-03"));
  });

  it("has a plot for each currency, with a table of its values for screen readers", async () => {
    await driver.open(mixedCosts);
    assert.equal(await driver.page.locator("svg.bars[aria-hidden='true']").count(), 2);
    const rows = values("$349.50").getByRole("row");
    assert.equal(await rows.count(), 25);
    assert.deepEqual(await rows.first().getByRole("columnheader").allTextContents(), [
      ...["Servers", "Requests", "Requests, estimated"],
    ]);
    assert.deepEqual(await rows.nth(24).getByRole("cell").allTextContents(), ["$300.00", "$1.00", "$0.25"]);
    assert.equal(await values("€45.00").count(), 1);
  });

  it("draws bars in proportion, estimates hatched, and the least amount visibly", async () => {
    await driver.open(mixedCosts);
    const euros = driver.page.locator("svg.bars").nth(1);
    const box = async (part: string) =>
      (await euros.locator(`g > rect.${part}`).first().boundingBox()) ?? assert.fail();
    const [exact, estimated] = [await box("servers"), await box("estimatedServers")];
    assert.ok(Math.abs(exact.height / estimated.height - 45 / 20) < 0.1);
    assert.ok(Math.abs(estimated.y + estimated.height - exact.y) < 1);
    assert.match(
      (await euros.locator("g > rect.estimatedServers").first().getAttribute("fill")) ?? "",
      /^url\(#/,
    );
    const dollars = driver.page.locator("svg.bars").first();
    const least =
      (await dollars.locator("g > rect.estimatedRequests").first().boundingBox()) ?? assert.fail();
    assert.ok(least.height >= 1);
  });

  it("can be used with the keyboard only", async () => {
    await driver.open(mixedCosts);
    const { keyboard } = driver.page;
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    assert.deepEqual(await driver.answer(), [{ type: "show", period: "today", group: "day" }]);
    await eventually(async () => assert.equal(await period("Today").getAttribute("aria-pressed"), "true"));
    assert.equal(await period("Month").getAttribute("aria-pressed"), "false");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.press("ArrowDown");
    assert.deepEqual(await driver.answer(), [{ type: "show", period: "today", group: "server" }]);
    await eventually(async () => assert.equal((await texts(0))[0], "Server"));
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    assert.deepEqual(await driver.answer(), [{ type: "setPrices" }, { type: "export" }]);
  });

  it("keeps what is shown, such as selected text, when nothing has changed", async () => {
    await driver.open(mixedCosts);
    await table().evaluate((element) => element.setAttribute("data-same", "yes"));
    await driver.show(mixedCosts, month);
    assert.equal(await driver.page.locator("table[data-same]").count(), 1);
    await driver.show({ ...mixedCosts, requests: [] }, month);
    await eventually(async () => assert.equal(await driver.page.locator("table[data-same]").count(), 0));
  });

  it("shows the same period and groups after VS Code has discarded the page", async () => {
    await driver.open(mixedCosts, { period: "week", group: "model" });
    assert.deepEqual(await driver.reopen(), [{ type: "ready", choice: { period: "week", group: "model" } }]);
  });

  it("explains that nothing was recorded, or why nothing can be read", async () => {
    await driver.open(nothing);
    await driver.page.getByText("Nothing has been recorded in this period").waitFor();
    await driver.send({ type: "failure", message: "The disk is full." });
    await driver.page.getByRole("alert").filter({ hasText: "couldn't be read. The disk is full." }).waitFor();
    await driver.show(nothing, month);
    await driver.page.getByText("Nothing has been recorded in this period").waitFor();
  });

  it("shows names as text", async () => {
    const name = "<img src=x onerror=alert(1)>";
    const runs = mixedCosts.runs.map((run) => ({ ...run, name }));
    await driver.open({ ...mixedCosts, runs }, { period: "month", group: "server" });
    assert.equal(await table().locator("img").count(), 0);
    assert.equal(await table().getByRole("rowheader", { name }).count(), 5);
  });

  for (const theme of themes) {
    it(`is accessible in the ${theme.name} theme`, async () => {
      await driver.page.setViewportSize({ width: 900, height: 1_400 });
      await driver.open(mixedCosts);
      await driver.setTheme(theme);
      await driver.frames();
      assert.deepEqual(await findViolations(driver.page, theme === themes[0] ? "all" : "colors"), []);
    });
  }

  for (const width of [300, 600, 1600]) {
    it(`has no overflow at ${width} px`, async () => {
      await driver.page.setViewportSize({ width, height: 500 });
      await driver.open(mixedCosts);
      const overflow = await driver.page.evaluate(() => {
        const content = document.querySelector(".content");
        return [document.documentElement, content].map(
          (each) => (each?.scrollWidth ?? 0) - (each?.clientWidth ?? 0),
        );
      });
      assert.deepEqual(overflow, [0, 0]);
    });
  }
});
