import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ChatPageDriver } from "./support/chatPageDriver.ts";
import { pageStates, showState } from "./support/states.ts";
import { themes } from "./support/themes.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare global {
  var axe: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    }>;
  };
}

/** What axe finds, one line each. */
async function findViolations(driver: ChatPageDriver): Promise<readonly string[]> {
  await driver.page.evaluate(axe);
  return await driver.page.evaluate(async () => {
    const { violations } = await globalThis.axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

describe("Accessibility of the chat page", function () {
  this.timeout(60_000);
  let driver: ChatPageDriver;
  before(async () => {
    driver = await ChatPageDriver.start();
  });
  after(() => driver.close());

  for (const theme of themes) {
    for (const state of pageStates) {
      it(`has no violation in the ${theme.name} theme with ${state.name}`, async () => {
        await driver.open(theme);
        await showState(driver, state);
        assert.deepEqual(await findViolations(driver), []);
      });
    }
  }
});
