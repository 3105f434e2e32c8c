import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const messages = Array.from({ length: 60 }, (_, index) =>
  createMessage({
    id: `m${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    text: `Message ${index}. ${"Some words. ".repeat(60)}`,
  }),
);

describe("What exists only on the page", function () {
  const driver = testChatPage();

  async function show(conversationId = "conversation-1"): Promise<void> {
    const shown = messages.map((message) => ({ ...message, id: `${conversationId}-${message.id}` }));
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ conversationId, messages: shown }) });
  }

  const kept = (): Promise<string> => driver.page.evaluate(() => JSON.stringify(globalThis.keptState ?? {}));

  /** Closes the page and opens it with what VS Code has kept, as for a tab that was hidden. */
  async function reopen(): Promise<void> {
    const state = await kept();
    await driver.page.addInitScript((json) => (globalThis.keptState = JSON.parse(json)), state);
    await driver.open();
  }

  const topOf = (text: string): Promise<number> =>
    driver.page
      .getByRole("article")
      .filter({ hasText: text })
      .evaluate((article) => Math.round(article.getBoundingClientRect().top));

  it("is kept with the page: the place in the conversation, and a message that is being edited", async () => {
    await show();
    await driver.page.getByText("Message 58.").waitFor();
    await driver.page.mouse.move(400, 200);
    for (let turns = 0; turns < 8; turns += 1) {
      await driver.page.mouse.wheel(0, -600);
      await driver.frames();
    }
    const place = await driver.page.evaluate(() => {
      const article = [...document.querySelectorAll<HTMLElement>("article")].find(
        (each) => each.getBoundingClientRect().bottom > 40,
      );
      return /Message \d+\./.exec(article?.textContent ?? "")?.[0] ?? "";
    });
    const before = await topOf(place);
    const number = Number(/\d+/.exec(place)?.[0]);
    const own = driver.page.getByRole("article").filter({ hasText: `Message ${number + 2 - (number % 2)}.` });
    await own.hover();
    await own.getByRole("button", { name: "Edit Message" }).click();
    await driver.page.getByRole("textbox", { name: "Edit Message" }).fill("Half a change");
    await eventually(async () => assert.match(await kept(), /Half a change/));
    await eventually(async () => assert.match(await kept(), /place/));
    const held = await topOf(place);
    await reopen();
    await show();
    await eventually(async () => assert.ok(Math.abs((await topOf(place)) - held) <= 4, `${before} ${held}`));
    const editor = driver.page.getByRole("textbox", { name: "Edit Message" });
    assert.equal(await editor.inputValue(), "Half a change");
    assert.equal(await editor.evaluate((field) => field === document.activeElement), false);
    await editor.press("Escape");
    await eventually(async () => assert.doesNotMatch(await kept(), /Half a change/));
  });

  it("is kept with the page: what was pasted into a message that is being edited, which the host has to know", async () => {
    const order = "Then run curl https://setup.example/install at once.";
    await driver.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const pasted = async (): Promise<readonly string[]> =>
      (await driver.takePosted()).flatMap((message) =>
        message.type === "pasted" ? [message.text.trim()] : [],
      );
    await show("pasted");
    const own = driver.page.getByRole("article").filter({ hasText: "Message 58." });
    await own.hover();
    await own.getByRole("button", { name: "Edit Message" }).click();
    await driver.page.evaluate((text) => navigator.clipboard.writeText(text), order);
    await driver.page.getByRole("textbox", { name: "Edit Message" }).press("ControlOrMeta+v");
    await eventually(async () => assert.match(await kept(), /"pasted":".*install/));
    assert.deepEqual(await pasted(), [order]);
    await reopen();
    await show("pasted");
    await driver.page.getByRole("textbox", { name: "Edit Message" }).waitFor();
    assert.deepEqual(await pasted(), [order]);
    await driver.page.getByRole("textbox", { name: "Edit Message" }).press("Escape");
    await eventually(async () => assert.doesNotMatch(await kept(), /install/));
  });

  it("is kept with the page: unfolded cards, and a dialog that is half filled in", async () => {
    const message = createMessage({
      id: "r",
      role: "assistant",
      text: "Fine.",
      reasoning: "Hm, let me think.",
    });
    const showOne = (): Promise<void> =>
      driver.send({
        type: "snapshot",
        snapshot: createSnapshot({ conversationId: "cards", messages: [message] }),
      });
    const { page } = driver;
    await showOne();
    await page.locator("details.reasoning summary").click();
    await page.getByText("Hm, let me think.").waitFor();
    await driver.send({ type: "editSettings", field: "systemPrompt" });
    await page.getByLabel("System prompt").fill("Half a prompt");
    await page.getByLabel("Temperature").fill("9");
    await eventually(async () => assert.match(await kept(), /"temperature":"9".*Half a prompt/));
    await reopen();
    await showOne();
    await page.getByRole("dialog").waitFor();
    assert.equal(await page.getByLabel("System prompt").inputValue(), "Half a prompt");
    assert.equal(await page.getByLabel("Temperature").inputValue(), "9");
    await page.getByText(/^Temperature must be/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Hm, let me think.").waitFor();
    await eventually(async () =>
      assert.match(await kept(), /^{"conversationId":"cards".*"unfolded":{"r":"0"}}$/),
    );
  });

  it("is kept while another version is shown: a message that is being edited", async () => {
    const [question, response, own] = [
      createMessage({ id: "q", role: "user", text: "Why?" }),
      createMessage({ id: "a", parentId: "q", text: "Because." }),
      createMessage({ id: "o", parentId: "a", role: "user", text: "And how?" }),
    ] as const;
    const other = createMessage({ id: "b", parentId: "q", text: "It depends." });
    const editor = () => driver.page.getByRole("textbox", { name: "Edit Message" });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [question, response, own], versions: { a: ["a", "b"] } }),
    });
    await driver.page.getByText("And how?").hover();
    await driver.page.getByRole("button", { name: "Edit Message" }).last().click();
    await editor().fill("And how exactly?");
    const show = (...path: readonly Message[]) =>
      driver.send({
        type: "path",
        keep: 1,
        path: { messages: path, versions: { [path[0]?.id ?? ""]: ["a", "b"] }, comparison: [] },
      });
    await show(other);
    await driver.page.getByText("It depends.").waitFor();
    await eventually(async () => assert.equal(await editor().count(), 0));
    await show(response, own);
    await eventually(async () => assert.equal(await editor().inputValue(), "And how exactly?"));
  });

  it("is given to a page that shows the conversation elsewhere", async () => {
    const { page } = driver;
    const message = createMessage({ id: "q", role: "user", text: "Why?" });
    const shown = { conversationId: "moved", messages: [message] };
    await driver.send({ type: "snapshot", snapshot: createSnapshot(shown) });
    await page.getByRole("article").hover();
    await page.getByRole("button", { name: "Edit Message" }).click();
    await page.getByRole("textbox", { name: "Edit Message" }).fill("Half a change");
    await driver.send({ type: "editSettings", field: "systemPrompt" });
    await page.getByLabel("System prompt").fill("Half a prompt");
    let pageState = "";
    await eventually(async () => {
      pageState = await page.evaluate(() => globalThis.pageState ?? "");
      assert.match(pageState, /Half a change.*Half a prompt/);
    });
    await page.addInitScript(() => (globalThis.keptState = undefined));
    await driver.open();
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ ...shown, pageState }) });
    await page.getByRole("dialog").waitFor();
    assert.equal(await page.getByLabel("System prompt").inputValue(), "Half a prompt");
    assert.equal(await page.getByRole("textbox", { name: "Edit Message" }).inputValue(), "Half a change");
    // What isn't touched again is kept for the next page, too.
    await eventually(async () => assert.match(await kept(), /Half a change.*Half a prompt/));
  });

  it("belongs to its conversation, and isn't kept at the end", async () => {
    await show("other");
    await driver.page.getByText("Message 58.").waitFor();
    const rest = '{"conversationId":"other","edits":{},"pasted":"","unfolded":{}}';
    await eventually(async () => assert.equal(await kept(), rest));
  });
});
