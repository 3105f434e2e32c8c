import assert from "node:assert/strict";
import { ChatPageDriver, createMessage, createSnapshot } from "../support/chatPageDriver.ts";

describe("a page whose host is gone", function () {
  let driver: ChatPageDriver;

  before(async () => {
    driver = await ChatPageDriver.start();
    await driver.page.clock.install();
  });
  after(() => driver.close());
  beforeEach(() => driver.open(undefined, true));

  const alert = () => driver.page.getByRole("alert");

  async function setDead(isDead: boolean): Promise<void> {
    await driver.page.evaluate((dead) => void (globalThis.isHostDead = dead), isDead);
  }

  it("says so when nothing follows from what the user asks", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await setDead(true);
    await driver.page.clock.runFor(20_000);
    assert.equal(await alert().count(), 0, "nobody asked for anything");
    await driver.page.getByRole("textbox", { name: "Message" }).fill("Hi");
    await driver.page.getByRole("button", { name: "Send", exact: true }).click();
    await driver.page.clock.runFor(6_000);
    await alert().getByText("The extension isn't responding.").waitFor();
  });

  it("says so when a response that should be coming doesn't come", async () => {
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

  it("says nothing while the host responds, however slow the model is", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ isStreaming: true }) });
    await driver.page.clock.runFor(30_000);
    assert.equal(await alert().count(), 0);
  });

  it("takes it back when the host was only busy", async () => {
    await setDead(true);
    await driver.page.clock.runFor(6_000);
    await alert().waitFor();
    await setDead(false);
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    assert.equal(await alert().count(), 0);
  });
});
