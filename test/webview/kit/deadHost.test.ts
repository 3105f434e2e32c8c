import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testPage } from "../support/pageTests.ts";

describe("A page whose host is unresponsive", function () {
  const driver = new ChatPageDriver();
  testPage(driver, async () => {
    // Only the tests advance it. An installed clock also runs by itself until it is paused, but not for an hour.
    await driver.page.clock.install({ time: 0 });
    await driver.page.clock.pauseAt(3_600_000);
    await driver.open(undefined, true);
  });

  const alert = () => driver.page.getByRole("alert");

  async function setDead(isDead: boolean): Promise<void> {
    await driver.page.evaluate((dead) => void (globalThis.isHostDead = dead), isDead);
  }

  it("shows a warning if an action of the user has no effect", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await setDead(true);
    await driver.page.clock.runFor(20_000);
    await eventually(async () => assert.equal(await alert().count(), 0, "nobody asked for anything"));
    await driver.page.getByRole("textbox", { name: "Message" }).fill("Hi");
    await driver.page.getByRole("button", { name: "Send", exact: true }).click();
    await driver.page.clock.runFor(6_000);
    await alert().getByText("The extension isn't responding.").waitFor();
  });

  it("goes unnoticed while the user only scrolls", async () => {
    const messages = [createMessage({ id: "a", text: "A line of words.\n\n".repeat(200) })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.page.clock.runFor(4_000);
    const scroller = driver.page.locator(".scroller");
    await eventually(async () =>
      assert.ok(await scroller.evaluate((it) => it.scrollHeight > 3 * it.clientHeight)),
    );
    await driver.takePosted();
    await setDead(true);
    await scroller.evaluate(async (it) => {
      const hasScrolled = new Promise((resolve) => it.addEventListener("scroll", resolve, { once: true }));
      it.scrollTo({ top: 0 });
      await hasScrolled;
    });
    await driver.page.clock.runFor(20_000);
    assert.equal(await alert().count(), 0);
  });

  it("shows a warning if an expected response doesn't arrive", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        messages: [createMessage({ id: "a", status: "streaming" })],
        isStreaming: true,
      }),
    });
    await setDead(true);
    await driver.page.clock.runFor(6_000);
    await alert().waitFor();
  });

  it("shows a warning if a response that was arriving goes quiet", async () => {
    const message = createMessage({ id: "a", status: "streaming" });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [message], isStreaming: true }),
    });
    for (let second = 0; second < 4; second += 1) {
      await driver.page.clock.runFor(1_000);
      await driver.send({ type: "title", title: `Title ${second}` });
    }
    await setDead(true);
    await driver.takePosted();
    await driver.page.clock.runFor(4_900);
    assert.equal(await alert().count(), 0, "the last message was less than five seconds ago");
    await driver.page.clock.runFor(1_100);
    await alert().waitFor();
  });

  it("shows no warning while the host responds, however slow the model is", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ isStreaming: true }) });
    await driver.page.clock.runFor(30_000);
    await eventually(async () => assert.equal(await alert().count(), 0));
  });

  it("removes the warning if the host was only busy", async () => {
    await setDead(true);
    await driver.page.clock.runFor(6_000);
    await alert().waitFor();
    await setDead(false);
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await eventually(async () => assert.equal(await alert().count(), 0));
  });
});
