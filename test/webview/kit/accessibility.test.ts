import assert from "node:assert/strict";
import { findViolations } from "../support/axe.ts";
import { ChatPageDriver } from "../support/chatPageDriver.ts";
import { pageStates, showState } from "../support/states.ts";
import { themes } from "../support/themes.ts";

describe("Accessibility of the chat page", () => {
  let driver: ChatPageDriver;
  before(async () => {
    driver = await ChatPageDriver.start({ width: 800, height: 3_000 });
  });
  after(() => driver.close());

  for (const state of pageStates) {
    describe(`with ${state.name}`, () => {
      before(async () => {
        await driver.open(themes[0]);
        await showState(driver, state);
      });

      for (const theme of themes) {
        it(`has no violation in the ${theme.name} theme`, async () => {
          await driver.setTheme(theme);
          if (state.awaited !== undefined) await driver.page.locator(state.awaited).first().waitFor();
          await driver.frames();
          // The next themes change the colours, and nothing else.
          const rules = theme === themes[0] ? "all" : "colours";
          assert.deepEqual(await findViolations(driver.page, rules), []);
        });
      }
    });
  }
});
