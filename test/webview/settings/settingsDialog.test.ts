import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { parsePresets } from "../../../src/core/conversation/presets.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const preferences = { presets: parsePresets({ Reviewer: { parameters: { seed: 7 } } }), prices: {} };

describe("The settings of a chat on the page", function () {
  const driver = testChatPage({
    width: 600,
    height: 700,
    prepare: async (): Promise<void> => {
      await driver.send(
        { type: "preferences", preferences },
        { type: "snapshot", snapshot: createSnapshot({ settings: { systemPrompt: "Be brief." } }) },
      );
      await driver.takePosted();
    },
  });

  const dialog = () => driver.page.getByRole("dialog", { name: "Chat Settings" });
  const button = () => driver.page.getByRole("button", { name: /^Chat settings/ });
  const field = (name: string) => dialog().getByLabel(name, { exact: true });
  const borderOf = (name: string) =>
    field(name).evaluate((input) => getComputedStyle(input).borderBlockEndColor);

  it("are summarized next to the model", async () => {
    await driver.send({ type: "settings", settings: { parameters: { seed: 7 }, systemPrompt: "x" } });
    await eventually(async () => assert.equal(await button().innerText(), "Reviewer · system prompt"));
  });

  it("are changed in a form that is opened, filled in and applied with the keyboard", async () => {
    await button().press("Enter");
    await eventually(async () => assert.equal(await field("System prompt").inputValue(), "Be brief."));
    await field("Temperature").fill("0.2");
    await field("Temperature").press("Enter");
    assert.deepEqual(await driver.takePosted(), [
      {
        type: "changeSettings",
        settings: { systemPrompt: "Be brief.", parameters: { temperature: 0.2 } },
      },
    ]);
    await eventually(async () => assert.equal(await dialog().count(), 0));
  });

  it("don't change when the form is closed with Escape, which restores the focus", async () => {
    await button().press("Enter");
    await field("Seed").fill("9");
    await driver.page.keyboard.press("Escape");
    await eventually(async () => {
      assert.equal(await dialog().count(), 0);
      assert.ok(await button().evaluate((element) => element === document.activeElement));
    });
    assert.deepEqual(await driver.takePosted(), []);
    await button().click();
    await eventually(async () => assert.equal(await field("Seed").inputValue(), ""));
  });

  it("are not applied while a field is invalid, which shows its error and has the focus", async () => {
    await button().click();
    await field("Temperature").fill("hot");
    await dialog().getByRole("button", { name: "Apply" }).click();
    await eventually(async () => {
      assert.ok(await dialog().getByText("Temperature must be a number from 0 to 2.").isVisible());
      assert.ok(await field("Temperature").evaluate((element) => element === document.activeElement));
    });
    const [wrong, valid] = await Promise.all([borderOf("Temperature"), borderOf("Seed")]);
    assert.notEqual(wrong, valid, "The border of an invalid field must differ.");
    assert.deepEqual(await driver.takePosted(), []);
  });

  it("can be filled in from a preset, and saved as one", async () => {
    await button().click();
    await field("Preset").selectOption("Creative");
    await eventually(async () => assert.equal(await field("Top P").inputValue(), "0.95"));
    await dialog().getByRole("button", { name: "Save as Preset…" }).click();
    await field("Name of the preset").fill("Mine");
    await field("Name of the preset").press("Enter");
    const settings = { systemPrompt: "Be brief.", parameters: { temperature: 1, top_p: 0.95 } };
    assert.deepEqual(await driver.takePosted(), [{ type: "savePreset", name: "Mine", settings }]);
  });

  it("open when the host requests it", async () => {
    await driver.send({ type: "editSettings", field: "systemPrompt" });
    await eventually(async () =>
      assert.ok(await field("System prompt").evaluate((element) => element === document.activeElement)),
    );
  });
});

describe("The usage line under a response", function () {
  const driver = testChatPage({ width: 600, height: 700 });

  it("expands to all known details, and shows the cost at current prices", async () => {
    const usage = { promptTokens: 1000, completionTokens: 500 };
    const settings = { systemPrompt: "Be brief.", parameters: { temperature: 0.2 } };
    const message = createMessage({ text: "Hi", usage, finishReason: "stop", settings });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
    const line = driver.page.getByRole("button", { name: "Usage:" });
    await eventually(async () => assert.equal(await line.innerText(), "1,000 input · 500 output"));
    const prices = { "openlab/*": { input: 1000, output: 2000, currency: "USD" } };
    await driver.send({ type: "preferences", preferences: { presets: [], prices } });
    await eventually(async () => assert.equal(await line.innerText(), "1,000 input · 500 output · $2.00"));
    await line.press("Enter");
    await eventually(async () =>
      assert.match(
        await driver.page.getByRole("article").innerText(),
        /Finish reason\s+stop\s+System prompt\s+Be brief\.\s+temperature\s+0\.2/,
      ),
    );
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Show Costs" }).click();
    assert.deepEqual(await driver.takePosted(), [{ type: "action", id: "showUsage" }]);
    await line.press("Enter");
    await eventually(async () => assert.equal(await driver.page.getByText("Finish reason").count(), 0));
  });
});
