import assert from "node:assert/strict";
import { createSection, createServer, createServers } from "../../support/serverSections.ts";
import { findViolations } from "../support/axe.ts";
import { testPage } from "../support/pageTests.ts";
import { TablePageDriver } from "../support/tablePageDriver.ts";
import { themes } from "../support/themes.ts";

const error = { reason: "unreachable", message: "The gateway could not be reached." } as const;

describe("The appearance of the page of GPU servers", function () {
  const driver = new TablePageDriver();
  testPage(driver, () => Promise.resolve());

  const marks = new Map([["srv-3", { isPinned: true, isWatched: true }]]);
  const full = [
    createSection(createServers(5), { error, listedAt: 0 }, { profileName: "Main", isProduction: true }),
    createSection(createServers(40), {}, { marks }),
  ];
  const states = [
    { name: "rows", sections: full },
    { name: "nothing to list", sections: [createSection([], { state: "failed", error })] },
  ];

  for (const { name, sections } of states) {
    describe(`with ${name}`, () => {
      for (const theme of themes) {
        it(`is accessible in the ${theme.name} theme`, async () => {
          await driver.page.setViewportSize({ width: 900, height: 2_000 });
          await driver.open(sections, (_, { key }) => ({
            use: { text: "71 %", order: 71 },
            ...(key === "srv-1"
              ? {}
              : {
                  history: { text: "0 % to 98 %", order: 1, plot: { stepMs: 60_000, values: [0, 98, 20] } },
                }),
          }));
          if (name === "rows") await driver.rows.nth(2).click();
          await driver.setTheme(theme);
          await driver.frames();
          // The other themes only change colors.
          const rules = theme === themes[0] ? "all" : "colors";
          assert.deepEqual(await findViolations(driver.page, rules), []);
        });
      }
    });
  }

  for (const width of [300, 600, 1600]) {
    it(`has no overflow at ${width} px`, async () => {
      await driver.page.setViewportSize({ width, height: 500 });
      await driver.open(full);
      await driver.rows.first().waitFor();
      const overflow = await driver.page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      assert.ok(overflow <= 0);
    });
  }

  it("is mirrored in right-to-left languages", async () => {
    await driver.page.setViewportSize({ width: 900, height: 500 });
    await driver.open([createSection([createServer("a", { name: { value: "שרת אחד", source: "x" } })])]);
    await driver.page.evaluate(() => (document.documentElement.dir = "rtl"));
    await driver.rows.first().waitFor();
    const [name, state] = await driver.page.evaluate(() =>
      [...document.querySelectorAll("tbody tr:first-child > *")].map(
        (cell) => cell.getBoundingClientRect().left,
      ),
    );
    assert.ok((name ?? 0) > (state ?? 0));
  });
});
