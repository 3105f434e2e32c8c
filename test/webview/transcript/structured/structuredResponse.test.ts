import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import type { ResponseCheck } from "../../../../src/core/responses/structured/responseCheck.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const json_schema = { name: "order", schema: { type: "object" }, strict: true };
const settings = { parameters: { response_format: { type: "json_schema", json_schema } } };
const value = {
  name: "x",
  "a/b": [1, { deep: null }],
  list: Array.from({ length: 250 }, (_, index) => index),
};
const answer = createMessage({ id: "a", text: JSON.stringify(value), settings });
const invalid: ResponseCheck = {
  state: "invalid",
  problems: [
    { path: "/a~1b/1/deep", message: "must be of type string" },
    { path: "", message: "missing property “price”" },
  ],
  more: 3,
};

describe("A response that must be JSON", function () {
  const driver = testChatPage({ width: 600, height: 900 });

  const show = async (check: ResponseCheck, message = answer): Promise<void> => {
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [message] }) },
      { type: "answerChecked", messageId: "a", check },
    );
    await driver.frames();
    await driver.takePosted();
  };
  const button = (name: string) =>
    driver.page.locator(".structured").getByRole("button", { name, exact: true });

  it("is checked when it ends, and when an old one becomes visible", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [answer] }) });
    await driver.page.waitForFunction(() =>
      globalThis.posted.some(
        (message) => message.type === "messageAction" && message.action === "checkResponse",
      ),
    );
    await driver.takePosted();
    const growing = createMessage({ id: "b", status: "streaming", text: "{}", settings });
    await driver.send({ type: "messageAdded", message: growing });
    await driver.send({
      type: "messageChanged",
      messageId: "b",
      change: { status: "complete", toolCalls: [] },
      length: growing.text.length,
    });
    assert.deepEqual(await driver.takePosted(), [
      { type: "messageAction", action: "checkResponse", messageId: "b" },
    ]);
  });

  it("is shown as code from its first character, because Markdown would interpret it", async () => {
    const growing = createMessage({ id: "b", status: "streaming", text: "\n", settings });
    const text = '{"__name__": "*x*",\n"list": ["<b>", "- a"]}';
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [growing], isStreaming: true }) },
      { type: "delta", messageId: "b", textOffset: 1, text, reasoningOffset: 0, reasoning: "" },
    );
    await driver.frames();
    await eventually(async () =>
      assert.equal((await driver.page.locator(".assistant pre").textContent())?.trim(), text),
    );
    const prose = createMessage({ id: "c", text: "Here it *is*", settings });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [prose] }) });
    await driver.frames();
    await eventually(async () =>
      assert.equal(await driver.page.locator(".assistant em").textContent(), "is"),
    );
  });

  it("is not checked if no format was requested", async () => {
    const plain = createMessage({ id: "a", text: "{}" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [plain] }) });
    await driver.frames();
    assert.deepEqual(
      (await driver.takePosted()).filter(({ type }) => type === "messageAction"),
      [],
    );
    await eventually(async () => assert.equal(await driver.page.locator(".structured").isVisible(), false));
  });

  it("shows that it is valid, and its value can be copied, inserted and saved", async () => {
    await show({ state: "valid", hasSchema: true });
    await eventually(async () =>
      assert.equal(
        await driver.page.getByText("The response matches the schema “order”.").first().isVisible(),
        true,
      ),
    );
    await button("Copy JSON").click();
    await button("Insert at Cursor").click();
    await button("Save…").click();
    const code = JSON.stringify(value);
    assert.deepEqual(await driver.takePosted(), [
      { type: "copy", text: code },
      { type: "code", action: "insert", code, language: "json" },
      { type: "messageAction", action: "saveJson", messageId: "a" },
    ]);
    await eventually(async () => assert.equal(await button("Retry with These Errors").count(), 0));
  });

  it("lists its problems with their paths and offers a retry with them", async () => {
    await show(invalid);
    await eventually(async () =>
      assert.deepEqual(await driver.page.locator(".structured-problems li").allTextContents(), [
        "/a~1b/1/deepmust be of type string",
        "/missing property “price”",
        "and 3 more",
      ]),
    );
    await button("Retry with These Errors").click();
    assert.deepEqual(await driver.takePosted(), [
      { type: "messageAction", action: "retryWithErrors", messageId: "a" },
    ]);
  });

  it("shows what is wrong with invalid JSON, and offers no value", async () => {
    await show({ state: "notJson", message: "Unexpected token" }, { ...answer, text: "Sorry." });
    await eventually(async () => {
      assert.equal(
        await driver.page.getByText("isn't valid JSON: Unexpected token").first().isVisible(),
        true,
      );
      assert.equal(await button("Copy JSON").count(), 0);
      assert.equal(await button("Retry with These Errors").isVisible(), true);
    });
  });
});
