import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { ToWebview } from "../../../src/core/panel/protocol.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const question = createMessage({ id: "q", role: "user", text: "Why?" });
const streaming = createMessage({ id: "a", status: "streaming" });

function delta(textOffset: number, text: string) {
  return { type: "delta", messageId: "a", textOffset, text, reasoningOffset: 0, reasoning: "" } as const;
}

describe("The chat page", function () {
  const driver = testChatPage({ width: 600, height: 500 });

  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const button = (name: string) => driver.page.getByRole("button", { name, exact: true });
  const article = (name: string) => driver.page.getByRole("article", { name });

  it("reports that it is ready, once", async () => {
    assert.deepEqual(await driver.takePosted(), [{ type: "ready" }]);
  });

  it("labels each message with its author inside the log", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question, streaming] }) });
    const log = driver.page.getByRole("log", { name: "Conversation" });
    await eventually(async () => {
      assert.equal(await log.getByRole("article", { name: "You" }).count(), 1);
      assert.equal(await log.getByRole("article", { name: "openlab/echo" }).count(), 1);
    });
  });

  it("sends with Enter, inserts a line break with Shift+Enter, and clears the text field", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await driver.takePosted();
    await box().fill("one");
    await box().press("Shift+Enter");
    await box().pressSequentially("two");
    await box().press("Enter");
    const sent = (await driver.takePosted()).filter((message) => message.type === "send");
    assert.deepEqual(sent, [{ type: "send", text: "one\ntwo", attachments: [] }]);
    await eventually(async () => assert.equal(await box().inputValue(), ""));
  });

  it("doesn't send while an input method is composing", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await box().fill("か");
    await box().dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await box().dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
    assert.ok((await driver.takePosted()).every((message) => message.type !== "send"));
  });

  it("offers Stop instead of Send while a response streams", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ isStreaming: true }) });
    await eventually(async () => assert.equal(await button("Send").count(), 0));
    await button("Stop").click();
    assert.ok((await driver.takePosted()).some((message) => message.type === "stop"));
    await driver.send({ type: "streaming", isStreaming: false });
    await eventually(async () => assert.equal(await button("Stop").count(), 0));
  });

  it("isn't stopped by the second click of a double click on Send, which hits Stop", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await box().fill("once");
    const { mouse } = driver.page;
    const place = await button("Send").boundingBox();
    assert.ok(place !== null);
    await mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    const press = async (clickCount: number): Promise<void> => {
      await mouse.down({ clickCount });
      await mouse.up({ clickCount });
    };
    await press(1);
    await driver.send({ type: "streaming", isStreaming: true });
    await button("Stop").waitFor();
    await press(2);
    const requested = async (): Promise<readonly string[]> =>
      (await driver.takePosted()).map(({ type }) => type).filter((type) => ["send", "stop"].includes(type));
    assert.deepEqual(await requested(), ["send"]);
    await press(3);
    assert.deepEqual(await requested(), ["stop"]);
  });

  it("appends text typed before the first snapshot to the stored draft", async () => {
    await box().fill("early");
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ draft: { text: "kept", attachments: [] } }),
    });
    await eventually(async () => assert.equal(await box().inputValue(), "kept\nearly"));
  });

  it("keeps the typed text when another snapshot of the conversation arrives", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ draft: { text: "kept", attachments: [] } }),
    });
    await eventually(async () => assert.equal(await box().inputValue(), "kept"));
    await box().fill("newer");
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ draft: { text: "kept", attachments: [] } }),
    });
    await eventually(async () => assert.equal(await box().inputValue(), "newer"));
  });

  it("shows the draft of another window, and never replaces text that is being typed", async () => {
    const composer = driver.page.getByLabel("Message", { exact: true });
    const theirs = (text: string, over: string, isChosen = false) =>
      driver.send({ type: "draft", draft: { text, attachments: [] }, over, isChosen });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ draft: { text: "ours", attachments: [] } }),
    });
    await driver.takePosted();
    await theirs("theirs", "ours");
    await eventually(async () => assert.equal(await composer.inputValue(), "theirs"));
    const drafts = (await driver.takePosted()).filter((message) => message.type === "draft");
    assert.deepEqual(drafts, [{ type: "draft", text: "theirs", attachments: [] }]);
    await composer.fill("typed on");
    await theirs("theirs, longer", "theirs");
    await eventually(async () => assert.equal(await composer.inputValue(), "typed on"));
    await theirs("chosen", "theirs", true);
    await eventually(async () => assert.equal(await composer.inputValue(), "chosen\ntyped on"));
  });

  it("reports the draft to the host", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await box().fill("half a thought");
    await driver.page.waitForFunction(() => globalThis.posted.some((message) => message.type === "draft"));
    const drafts = (await driver.takePosted()).filter((message) => message.type === "draft");
    assert.deepEqual(drafts, [{ type: "draft", text: "half a thought" }]);
  });

  it("requests a snapshot after a delta that doesn't fit, and ignores deltas until it arrives", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [streaming], isStreaming: true }),
    });
    await driver.takePosted();
    await driver.send(delta(0, "one "), delta(9, "lost "), delta(4, "late "));
    await driver.frames();
    assert.deepEqual(await driver.takePosted(), [{ type: "ready" }]);
    await eventually(async () => assert.match((await article("openlab/echo").textContent()) ?? "", /one/));
    const whole = createMessage({ id: "a", status: "streaming", text: "one two " });
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [whole] }) },
      delta(8, "three"),
    );
    await driver.frames();
    await eventually(async () =>
      assert.match((await article("openlab/echo").textContent()) ?? "", /one two three/),
    );
  });

  it("doesn't show a response as complete if its end was lost", async () => {
    const snapshot = (text: string, status: Message["status"]): ToWebview => {
      const isStreaming = status === "streaming";
      const messages = [question, createMessage({ id: "a", status, text })];
      return { type: "snapshot", snapshot: createSnapshot({ messages, isStreaming }) };
    };
    await driver.send(snapshot("one ", "streaming"));
    await driver.takePosted();
    await driver.send(
      { type: "messageChanged", messageId: "a", change: { status: "complete", toolCalls: [] }, length: 8 },
      { type: "streaming", isStreaming: false },
    );
    await driver.frames();
    assert.deepEqual(await driver.takePosted(), [{ type: "ready" }]);
    await eventually(async () => {
      assert.equal(await article("openlab/echo").getAttribute("aria-busy"), "true");
      assert.ok(await button("Stop").isVisible());
    });
    await driver.send(snapshot("one two ", "complete"));
    await driver.frames();
    await eventually(async () => {
      assert.match((await article("openlab/echo").textContent()) ?? "", /one two/);
      assert.equal(await article("openlab/echo").getAttribute("aria-busy"), "false");
      assert.ok(await button("Stop").isHidden());
    });
  });

  it("keeps the nodes of a message when a snapshot brings the same message", async () => {
    const messages = [question, createMessage({ id: "a", text: "# Answer\n\nwords" })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.frames();
    const heading = await driver.page.getByRole("heading", { name: "Answer" }).elementHandle();
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.frames();
    assert.ok(await heading?.evaluate((node) => node.isConnected));
  });

  it("shows the first delta in the next frame", async () => {
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [streaming] }) },
      delta(0, "Hello"),
    );
    await driver.page.evaluate(() => new Promise(requestAnimationFrame));
    assert.match((await article("openlab/echo").textContent()) ?? "", /Hello/);
  });

  it("renders reasoning only when it is opened", async () => {
    const message = createMessage({ id: "a", text: "So.", reasoning: "Because **of that**" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
    await driver.frames();
    const body = driver.page.locator(".reasoning-text");
    await eventually(async () => assert.equal(await body.textContent(), ""));
    await driver.page.getByText("Reasoning").click();
    await driver.frames();
    await eventually(async () => assert.equal(await body.textContent(), "Because of that"));
  });

  it("shows tool calls and the model as soon as they are known", async () => {
    await driver.send(
      { type: "snapshot", snapshot: createSnapshot({ messages: [streaming], isStreaming: true }) },
      {
        type: "messageChanged",
        messageId: "a",
        change: {
          status: "complete",
          model: "openlab/tools",
          toolCalls: [{ id: "1", name: "look_up", arguments: '{"word":"gateway"}' }],
        },
        length: 0,
      },
    );
    const answer = article("openlab/tools");
    await answer.getByText("look_up").click();
    await answer.getByText(/"word": "gateway"/).waitFor();
  });

  it("passes links to the host and opens nothing itself", async () => {
    const message = createMessage({ id: "a", text: "[go](https://example.org/a?b=1 'Title')" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
    await driver.takePosted();
    const link = driver.page.getByRole("link", { name: "go" });
    await eventually(async () =>
      assert.match((await link.getAttribute("title")) ?? "", /https:\/\/example\.org\/a\?b=1/),
    );
    await link.click();
    await link.click({ button: "middle" });
    const href = "https://example.org/a?b=1";
    assert.deepEqual(await driver.takePosted(), [
      { type: "openLink", href },
      { type: "openLink", href },
    ]);
  });

  it("copies code and complete responses", async () => {
    const text = "```ts\nconst a = 1;\n```\n";
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "a", text })] }),
    });
    await driver.page.locator(".hljs-keyword").waitFor();
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Copy ts Code" }).click();
    await driver.page.getByRole("button", { name: "Copy Response" }).click();
    assert.deepEqual(await driver.takePosted(), [
      { type: "copy", text: "const a = 1;\n" },
      { type: "copy", text },
    ]);
  });

  it("stays scrolled to the end while text arrives, or where the user scrolled", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [streaming], isStreaming: true }),
    });
    let length = 0;
    const grow = async (): Promise<void> => {
      const text = "A line of words.\n\n".repeat(40);
      await driver.send(delta(length, text));
      length += text.length;
      await driver.frames();
    };
    const distance = () =>
      driver.page
        .locator(".scroller")
        .evaluate((it) => Math.round(it.scrollHeight - it.clientHeight - it.scrollTop));
    await grow();
    await eventually(async () => assert.equal(await distance(), 0));
    await driver.page.locator(".scroller").hover();
    await driver.page.mouse.wheel(0, -120);
    await driver.page.waitForFunction(() => {
      const it = document.querySelector(".scroller");
      return it !== null && it.scrollHeight - it.clientHeight - it.scrollTop > 50;
    });
    await driver.frames();
    const before = await distance();
    await grow();
    await eventually(async () => assert.ok((await distance()) > before));
    await driver.page.getByRole("button", { name: "Jump to Latest" }).click();
    await driver.frames();
    await eventually(async () => assert.equal(await distance(), 0));
    await grow();
    await eventually(async () => assert.equal(await distance(), 0));
  });

  it("opens the model list from its button", async () => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    await driver.takePosted();
    await driver.page.getByRole("button", { name: "Model: openlab/echo" }).click();
    assert.deepEqual(await driver.takePosted(), [{ type: "action", id: "selectModel" }]);
  });

  it("reports an error in the page to the host", async () => {
    await driver.page.evaluate(() => void setTimeout(() => globalThis.reportError(new Error("on purpose"))));
    await driver.page.waitForFunction(() =>
      globalThis.posted.some((message) => message.type === "pageError"),
    );
    const [failure] = (await driver.takePosted()).filter((message) => message.type === "pageError");
    assert.match(failure?.message ?? "", /on purpose/);
    assert.match((await driver.takeProblems()).join(), /^Error: on purpose/);
  });

  it("shows messages in the editor's font size, and in its font if the user wants that", async () => {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ text: "Hi" })] }),
    });
    await driver.page.evaluate(() => {
      document.documentElement.style.setProperty("--vscode-editor-font-size", "21px");
      document.documentElement.style.setProperty("--vscode-editor-font-family", "Editor Font");
    });
    const read = async (): Promise<readonly string[]> => {
      const texts = [
        driver.page.getByText("Hi", { exact: true }),
        driver.page.getByRole("textbox", { name: "Message" }),
      ];
      return await Promise.all(
        texts.map((text) =>
          text.evaluate((element) => {
            const { fontSize, fontFamily } = getComputedStyle(element);
            return `${fontSize} ${fontFamily.includes("Editor Font") ? "editor" : "interface"}`;
          }),
        ),
      );
    };
    await eventually(async () => assert.deepEqual(await read(), ["21px interface", "21px interface"]));
  });
});
