import assert from "node:assert/strict";
import type { Viewport } from "./browser.ts";
import { ChatPageDriver } from "./chatPageDriver.ts";
import type { PageDriver } from "./pageDriver.ts";

interface ChatTests extends Partial<Viewport> {
  /** `en` if it is missing. */
  readonly language?: string;
  /** Brings the open page into the state in which a test begins. */
  readonly prepare?: () => Promise<void> | void;
}

/** A chat page for the tests of the surrounding suite, opened for each of them. See {@link testPage}. */
export function testChatPage({
  width = 800,
  height = 700,
  language,
  prepare,
}: ChatTests = {}): ChatPageDriver {
  const driver = new ChatPageDriver({ width, height }, language);
  testPage(driver, async () => {
    await driver.open();
    await prepare?.();
  });
  return driver;
}

/**
 * Starts the page for the tests of the surrounding suite, prepares it for each of them, and closes it after them. A test
 * fails if there is an error in the page or if the page requests anything from elsewhere. No test is affected by one that
 * failed before it: it has a new page, and all of this is done as a part of the test, because Mocha omits the other tests
 * of a suite after a failure in `beforeEach` or `afterEach`.
 */
export function testPage(driver: PageDriver, prepare: () => Promise<void>): void {
  before(() => driver.start());
  after(async () => {
    try {
      assert.deepEqual(await driver.takeProblems(), []);
    } finally {
      await driver.close();
    }
  });
  beforeEach(function () {
    const test = this.currentTest;
    const run = test?.fn;
    if (test === undefined || run === undefined) return;
    test.fn = async function (this: Mocha.Context) {
      await driver.reset();
      await prepare();
      await run.call(this, () => undefined);
      assert.deepEqual(await driver.takeProblems(), []);
    };
  });
  afterEach(async function () {
    if (this.currentTest?.state !== "failed") return;
    // These may be why it failed.
    for (const error of driver.errors.splice(0)) process.stderr.write(`${error}\n`);
    driver.foreignRequests.splice(0);
    await driver.renew();
  });
}
