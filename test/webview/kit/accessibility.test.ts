import assert from "node:assert/strict";
import { findViolations } from "../support/axe.ts";
import { testChatPage } from "../support/pageTests.ts";
import { pageStates, showState } from "../support/states.ts";
import { themes } from "../support/themes.ts";

describe("Accessibility of the chat page", () => {
  const driver = testChatPage({ width: 800, height: 3_000 });

  for (const state of pageStates) {
    it(`has no violations with ${state.name} in any theme`, async () => {
      const found: string[] = [];
      for (const [index, theme] of themes.entries()) {
        await driver.setTheme(theme);
        if (index === 0) await showState(driver, state);
        // The other themes only change colors.
        const problems = await findViolations(driver.page, index === 0 ? "all" : "colors");
        found.push(...problems.map((problem) => `In the ${theme.name} theme: ${problem}`));
      }
      assert.deepEqual(found, []);
    });
  }

  it("follows VS Code's motion setting, and “off” overrides a system that reduces motion", async () => {
    const { page } = driver;
    const moves = (): Promise<string> =>
      page.evaluate(() => {
        const probe = document.createElement("i");
        const dots = document.createElement("div");
        dots.className = "dots";
        dots.append(probe);
        document.body.append(dots);
        const { animationName } = getComputedStyle(probe);
        dots.remove();
        return animationName;
      });
    for (const reducedMotion of ["reduce", "no-preference"] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.evaluate(() => document.body.classList.remove("vscode-reduce-motion"));
      assert.notEqual(await moves(), "none", reducedMotion);
      // VS Code sets this class for “on”, and for “auto” if the system reduces motion.
      await page.evaluate(() => document.body.classList.add("vscode-reduce-motion"));
      assert.equal(await moves(), "none", reducedMotion);
    }
    await page.emulateMedia({ reducedMotion: null });
  });
});
