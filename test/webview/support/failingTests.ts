// Tests that fail, which `pageTests.test.ts` runs. After each of them there is one that must pass all the same.
import assert from "node:assert/strict";
import type { ChatPageDriver } from "./chatPageDriver.ts";
import { testChatPage } from "./pageTests.ts";

async function assertWorks(driver: ChatPageDriver): Promise<void> {
  const box = driver.page.getByRole("textbox", { name: "Message" });
  await box.fill("Hi");
  assert.equal(await box.inputValue(), "Hi");
}

describe("A page", () => {
  const driver = testChatPage();

  function fails(name: string, act: (this: Mocha.Context) => Promise<unknown>): void {
    it(name, async function () {
      await act.call(this);
    });
    it(`works after a test in which it ${name}`, () => assertWorks(driver));
  }

  fails("throws", () =>
    driver.page.evaluate(() => {
      setTimeout(() => {
        throw new Error("thrown");
      });
    }),
  );
  fails("rejects", () => driver.page.evaluate(() => void Promise.reject(new Error("rejected"))));
  fails("reports an error", () => driver.page.evaluate(() => reportError(new Error("reported"))));
  fails("reports an error before it is loaded again", async () => {
    await driver.page.evaluate(() => reportError(new Error("early")));
    await driver.takePosted();
    await driver.open();
  });
  fails("requests something from elsewhere", () =>
    driver.page.evaluate(() => void (new Image().src = "https://elsewhere.example/a.png")),
  );
  fails("violates its policy", () =>
    driver.page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'run'";
      document.body.append(script);
    }),
  );
  fails("sets an inline style", () =>
    driver.page.evaluate(() => document.body.setAttribute("style", "color: red")),
  );
  fails("requests a file that doesn't exist", () =>
    driver.page.evaluate(async () => {
      const link = document.createElement("link");
      const ended = new Promise((resolve) => (link.onerror = resolve));
      link.rel = "stylesheet";
      link.href = "/missing.js";
      document.body.append(link);
      await ended;
    }),
  );
  fails("opens a dialog", () => driver.page.evaluate(() => alert("Hello")));
  fails("is closed", async () => {
    await driver.page.close();
    await driver.frames();
  });
  fails("never ends", function () {
    this.timeout(3_000);
    return driver.page.evaluate(() => {
      for (;;);
    });
  });
});

describe("A page that can't be prepared for the first test", () => {
  let attempts = 0;
  const driver = testChatPage({
    prepare: (): void => {
      attempts += 1;
      assert.notEqual(attempts, 1, "unprepared");
    },
  });

  it("isn't prepared", () => assertWorks(driver));
  it("works after a test in which it isn't prepared", () => assertWorks(driver));
});
