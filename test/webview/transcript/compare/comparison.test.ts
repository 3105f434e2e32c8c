import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import type { ToWebview } from "../../../../src/core/panel/protocol.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const question = createMessage({ id: "q", role: "user", text: "Which one?" });
const models = ["lab/quick", "lab/thorough", "lab/terse"];
const answers: readonly Message[] = models.map((model) =>
  createMessage({ id: model, parentId: "q", model, status: "streaming" }),
);
const ids = answers.map(({ id }) => id);

function delta(messageId: string, textOffset: number, text: string): ToWebview {
  return { type: "delta", messageId, textOffset, text, reasoningOffset: 0, reasoning: "" };
}

function end(messageId: string, length: number): ToWebview {
  return {
    type: "messageChanged",
    messageId,
    change: {
      status: "complete",
      model: messageId,
      toolCalls: [],
      usage: { completionTokens: 100 },
      timing: { firstDeltaMs: 100, totalMs: 2_100 },
    },
    length,
  };
}

describe("Side-by-side responses", function () {
  const driver = testChatPage({
    width: 1_000,
    height: 700,
    prepare: async (): Promise<void> => {
      await driver.open();
      await driver.send(
        { type: "snapshot", snapshot: createSnapshot({ messages: [question] }) },
        { type: "path", keep: 1, path: { messages: answers, versions: {}, comparison: ids } },
        { type: "streaming", isStreaming: true },
      );
      await driver.takePosted();
    },
  });

  const region = () => driver.page.getByRole("region", { name: "3 responses side by side" });
  const column = (model: string) => region().getByRole("group", { name: model, exact: true });

  async function lefts(): Promise<readonly number[]> {
    const boxes = await Promise.all(models.map((model) => column(model).boundingBox()));
    return boxes.map((box) => Math.round(box?.x ?? NaN));
  }

  it("are in columns of the same width, each with its own text", async () => {
    await driver.send(...models.map((model) => delta(model, 0, `I am ${model}.`)));
    for (const model of models) await column(model).getByText(`I am ${model}.`).waitFor();
    await eventually(async () => assert.equal(new Set(await lefts()).size, 3));
  });

  it("are stacked if the panel is narrow", async () => {
    await driver.page.setViewportSize({ width: 500, height: 700 });
    await driver.frames();
    await eventually(async () => assert.equal(new Set(await lefts()).size, 1));
  });

  it("show their timing: waiting, estimated, measured", async () => {
    await column("lab/quick")
      .getByText(/^Waiting for \d/)
      .waitFor();
    await driver.send(delta("lab/quick", 0, "Hi"));
    await column("lab/quick")
      .getByText(/to first token/)
      .waitFor();
    await driver.send(end("lab/quick", 2));
    await column("lab/quick")
      .getByText(/^2.1 s total · 10\d ms to first token · \d+ tokens\/s$/)
      .waitFor();
    await region().getByText("Still streaming: 2 of 3 responses.").waitFor();
  });

  it("can be stopped one by one or all at once", async () => {
    await region().getByRole("button", { name: "Stop lab/terse" }).click();
    await region().getByRole("button", { name: "Stop All" }).click();
    assert.deepEqual(await driver.takePosted(), [{ type: "stop", messageId: "lab/terse" }, { type: "stop" }]);
    await driver.send(...models.map((model) => end(model, 0)));
    await eventually(async () =>
      assert.equal(await region().getByRole("button", { name: /^Stop/ }).count(), 0),
    );
  });

  it("can be selected with the arrow keys, and the selected one stays complete", async () => {
    for (const model of models) {
      const text = `I am ${model}.`;
      await driver.send(delta(model, 0, text), end(model, text.length));
    }
    await driver.send({ type: "streaming", isStreaming: false });
    await region().getByRole("button", { name: "Continue with This Response: lab/quick" }).focus();
    await driver.page.keyboard.press("ArrowRight");
    await driver.page.keyboard.press("Enter");
    assert.deepEqual(
      (await driver.takePosted()).filter(({ type }) => type === "messageAction"),
      [{ type: "messageAction", action: "selectVersion", messageId: "lab/thorough" }],
    );
    const chosen = createMessage({
      id: "lab/thorough",
      model: "lab/thorough",
      text: "I am lab/thorough.",
    });
    await driver.send({
      type: "path",
      keep: 1,
      path: { messages: [chosen], versions: { "lab/thorough": ids }, comparison: [] },
    });
    await driver.page.getByRole("article", { name: "lab/thorough" }).getByText("2/3").waitFor();
    await eventually(async () => {
      assert.equal(await driver.page.locator(".comparison").count(), 0);
      assert.equal(await driver.page.locator(":focus").getAttribute("role"), "log");
    });
  });

  it("keep the selection button visible while a long response is scrolled", async () => {
    const text = "A line of a long response.\n\n".repeat(80);
    await driver.send(delta("lab/quick", 0, text), end("lab/quick", text.length));
    await driver.page.waitForFunction(() => {
      const scroller = document.querySelector(".scroller");
      scroller?.scrollTo(0, 900);
      return scroller?.scrollTop === 900;
    });
    const button = region().getByRole("button", { name: "Continue with This Response: lab/quick" });
    const box = await button.boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y < 120, JSON.stringify(box));
  });

  it("are restored unchanged by a snapshot", async () => {
    await driver.send(delta("lab/quick", 0, "Half"));
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        messages: [question, ...answers.map((answer) => ({ ...answer, text: "Half" }))],
        comparison: ids,
        isStreaming: true,
      }),
    });
    await driver.send(delta("lab/quick", 4, " and whole"));
    await column("lab/quick").getByText("Half and whole").waitFor();
    await eventually(async () => assert.equal(await driver.page.getByRole("article").count(), 4));
  });
});

describe("The Ask Several Models button", function () {
  const driver = testChatPage();

  it("sends the composer's content, which is cleared only after it was sent", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    const box = driver.page.getByRole("textbox", { name: "Message" });
    await box.fill("Compare this");
    await driver.page.getByRole("button", { name: "Ask Several Models" }).click();
    const sent = (await driver.takePosted()).find(({ type }) => type === "compare");
    assert.deepEqual(sent, { type: "compare", text: "Compare this", attachments: [] });
    await eventually(async () => assert.equal(await box.inputValue(), "Compare this"));
    await driver.send({ type: "sendState", composer: "clear" });
    await eventually(async () => assert.equal(await box.inputValue(), ""));
  });
});
