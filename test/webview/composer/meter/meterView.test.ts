import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const parts = { system: 100, history: 800, files: 0, images: 0, audio: 0, tools: 0, draft: 0 };
const reading = { parts, factor: 1, contextLength: 2000, reserved: 0 };

describe("The meter in the composer", function () {
  const driver = testChatPage({
    width: 600,
    height: 600,
    prepare: async (): Promise<void> => {
      await driver.send({ type: "snapshot", snapshot: createSnapshot() }, { type: "meter", reading });
    },
  });

  const meter = (name: RegExp) => driver.page.getByRole("button", { name });
  const box = () => driver.page.getByRole("textbox", { name: "Message" });

  it("shows the tokens of the next request relative to the model's context window", async () => {
    await eventually(async () =>
      assert.equal(await meter(/^About 900 of 2,000 tokens/).innerText(), "≈ 900 / 2K"),
    );
  });

  it("counts the typed text, and warns before sending that it is too long", async () => {
    await box().fill("word ".repeat(1500));
    await meter(/over the model's 2,000-token context window/).waitFor();
    await box().fill("");
    await meter(/^About 900 of/).waitFor();
  });

  it("shows the parts when opened, and closes with Escape", async () => {
    await meter(/^About/).press("Enter");
    const details = driver.page.getByRole("group", { name: "Tokens in the next request" });
    await eventually(async () =>
      assert.match(await details.innerText(), /System prompt\s+100\s+Earlier messages\s+800/),
    );
    await driver.page.keyboard.press("Escape");
    await eventually(async () => assert.equal(await details.count(), 0));
  });

  it("shows no limit if the model's context window is unknown", async () => {
    await driver.send({ type: "meter", reading: { parts, factor: 1, reserved: 0 } });
    await eventually(async () => assert.equal(await meter(/context window unknown/).innerText(), "≈ 900"));
  });

  it("leaves the note about omitted turns to the response", async () => {
    const omitted = { turns: 3, files: 0, tokens: 1200 };
    const message = createMessage({ text: "Hi", omitted });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
    const words = "To fit the context window, the 3 oldest turns (about 1,200 tokens) were left out.";
    await eventually(async () => assert.ok(await driver.page.getByText(words).isVisible()));
  });
});
