import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createSection, createServer, createServers } from "../../support/fleetSections.ts";
import { TablePageDriver } from "../support/tablePageDriver.ts";
import { themes } from "../support/themes.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const error = { reason: "unreachable", message: "The gateway could not be reached." } as const;

describe("The look of the table of servers", function () {
  this.timeout(60_000);
  let driver: TablePageDriver;
  before(async () => {
    driver = await TablePageDriver.start();
  });
  after(() => driver.close());

  const marks = new Map([["srv-3", { isPinned: true, isWatched: true }]]);
  const full = [
    createSection(createServers(5), { error, listedAt: 0 }, { profileName: "Main", isProduction: true }),
    createSection(createServers(40), {}, { marks }),
  ];
  const states = [
    { name: "rows", sections: full },
    { name: "nothing to list", sections: [createSection([], { state: "failed", error })] },
  ];

  for (const theme of themes) {
    for (const { name, sections } of states) {
      it(`is accessible in the ${theme.name} theme with ${name}`, async () => {
        await driver.open(sections, { filter: "" }, theme);
        if (name === "rows") await driver.rows.nth(2).click();
        await driver.frames();
        await driver.page.evaluate(axe);
        const found = await driver.page.evaluate(async () => {
          const { violations } = await globalThis.axe.run();
          return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
        });
        assert.deepEqual(found, []);
      });
    }
  }

  for (const width of [300, 600, 1600]) {
    it(`has its heads above their columns and nothing beyond the edge at ${width} px`, async () => {
      await driver.page.setViewportSize({ width, height: 500 });
      await driver.open(full);
      const places = await driver.page.evaluate(() => {
        const edges = (selector: string): readonly number[] =>
          [...document.querySelectorAll(selector)].map((cell) =>
            Math.round(cell.getBoundingClientRect().left),
          );
        return {
          heads: edges("[role=columnheader]"),
          cells: edges(".body [role=row]:first-child > *"),
          overflow: document.documentElement.scrollWidth - window.innerWidth,
        };
      });
      assert.deepEqual(places.cells, places.heads);
      assert.ok(places.overflow <= 0);
    });
  }

  it("is mirrored where is written from right to left", async () => {
    await driver.page.setViewportSize({ width: 900, height: 500 });
    await driver.open([createSection([createServer("a", { name: { value: "שרת אחד", source: "x" } })])]);
    await driver.page.evaluate(() => (document.documentElement.dir = "rtl"));
    await driver.grid.focus();
    await driver.page.keyboard.press("ArrowLeft");
    assert.equal(await driver.active(), "Running");
    const [name, state] = await driver.page.evaluate(() =>
      [...document.querySelectorAll(".body [role=row]:first-child > *")].map(
        (cell) => cell.getBoundingClientRect().left,
      ),
    );
    assert.ok((name ?? 0) > (state ?? 0));
  });
});
