import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const code = "```ts\nconst answer = 42;\n```";

/** Alternating questions and responses: `q0`, `a0`, `q1` and so on. */
function createTurns(
  turns: number,
  text = (turn: number): string => `Response ${turn}. ${"Some words. ".repeat(60)}`,
) {
  return Array.from({ length: turns }, (_, turn) => [
    createMessage({ id: `q${turn}`, role: "user", text: `Question ${turn}?` }),
    createMessage({ id: `a${turn}`, text: text(turn) }),
  ]).flat();
}

describe("A long conversation", function () {
  this.timeout(240_000);
  const driver = testChatPage();

  async function show(messages: readonly Message[]): Promise<void> {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await settle();
  }

  /** Waits until nothing moves anymore. */
  async function settle(): Promise<void> {
    await driver.page.evaluate(async () => {
      const scroller = document.querySelector(".scroller");
      let last = "";
      for (let same = 0; same < 6;) {
        await new Promise(requestAnimationFrame);
        const now = `${scroller?.scrollTop} ${scroller?.scrollHeight} ${document.querySelectorAll("article").length} ${document.querySelectorAll('article[style*="min-height"]').length}`;
        same = now === last && now.endsWith(" 0") ? same + 1 : 0;
        last = now;
      }
    });
  }

  const articleIds = (): Promise<readonly string[]> =>
    driver.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("article")].map(({ dataset }) => dataset["messageId"] ?? ""),
    );
  const nodeCount = (): Promise<number> => driver.page.evaluate(() => document.querySelectorAll("*").length);
  const isVisible = (text: string): Promise<boolean> =>
    driver.page.evaluate((words) => {
      const article = [...document.querySelectorAll("article")].find(({ textContent }) =>
        textContent.includes(words),
      );
      const box = article?.getBoundingClientRect();
      return box !== undefined && box.bottom > 0 && box.top < innerHeight;
    }, text);

  it("has no more elements with 10,000 messages than with 100", async () => {
    await show(createTurns(50));
    const few = await nodeCount();
    await show(createTurns(5_000));
    assert.ok((await nodeCount()) < few * 1.5, `${await nodeCount()} elements instead of ${few}`);
    await eventually(async () => assert.ok(await isVisible("Response 4999.")));
  });

  it("shows the scrolled-to messages, and has the same height in both directions", async () => {
    await show(createTurns(1_000));
    const scrollTo = async (part: number): Promise<void> => {
      await driver.page.evaluate((to) => {
        const scroller = document.querySelector(".scroller");
        if (scroller !== null) scroller.scrollTop = scroller.scrollHeight * to;
      }, part);
      await settle();
    };
    await scrollTo(0);
    await eventually(async () => {
      assert.ok(await isVisible("Question 0?"));
      assert.ok((await articleIds()).length < 40);
    });
    await scrollTo(0.5);
    const inSight = await driver.page.evaluate(() => {
      const article = document.elementFromPoint(400, 300)?.closest("article");
      return { text: article?.textContent ?? "", top: article?.getBoundingClientRect().top ?? NaN };
    });
    assert.match(inSight.text, /Question|Response/);
    await driver.frames();
    await settle();
    const later = await driver.page.evaluate(
      () => document.elementFromPoint(400, 300)?.closest("article")?.getBoundingClientRect().top ?? NaN,
    );
    assert.ok(Math.abs(later - inSight.top) < 2);
  });

  it("doesn't jump while scrolling up through messages that were never shown", async () => {
    await show(
      createTurns(300, (turn) => `Response ${turn}.\n\n${"- an item\n".repeat((turn * 7) % 40)}\n\n${code}`),
    );
    const jumps = await driver.page.evaluate(async () => {
      const scroller = document.querySelector(".scroller");
      if (scroller === null) throw new Error("There is nothing to scroll.");
      const found: number[] = [];
      const look = () => {
        const article = document.elementFromPoint(400, 300)?.closest("article");
        return article === null || article === undefined
          ? undefined
          : { article, top: article.getBoundingClientRect().top };
      };
      for (let step = 0; step < 200; step += 1) {
        const before = look();
        scroller.scrollTop -= 60;
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        if (before === undefined || !before.article.isConnected) continue;
        const moved = before.article.getBoundingClientRect().top - before.top;
        if (Math.abs(moved - 60) > 3) found.push(moved);
      }
      return found;
    });
    assert.deepEqual(jumps, []);
  });

  it("can be navigated from end to end with the keyboard", async () => {
    await show(createTurns(500, (turn) => (turn === 7 ? `Here: \n\n${code}` : `Response ${turn}.`)));
    const focused = (): Promise<string | undefined> =>
      driver.page.evaluate(
        () =>
          (document.activeElement?.closest("[data-message-id]") as HTMLElement | null)?.dataset["messageId"],
      );
    await driver.page.locator(".transcript").focus();
    await driver.page.keyboard.press("Home");
    await eventually(async () => assert.equal(await focused(), "q0"));
    await driver.page.keyboard.press("ArrowDown");
    await eventually(async () => assert.equal(await focused(), "a0"));
    await driver.page.keyboard.press("Control+ArrowDown");
    await eventually(async () => assert.equal(await focused(), "q1"));
    await driver.page.keyboard.press("End");
    await eventually(async () => assert.equal(await focused(), "a499"));
    await driver.page.keyboard.press("ArrowLeft");
    await eventually(async () => {
      assert.equal(await focused(), "a7");
      assert.equal(await driver.page.evaluate(() => document.activeElement?.tagName), "PRE");
    });
    // The focused message stays when it is scrolled out of view, and navigation continues from there.
    await driver.page.evaluate(() => document.querySelector(".scroller")?.scrollTo(0, 1e9));
    await settle();
    await driver.page.keyboard.press("ArrowUp");
    await eventually(async () => assert.equal(await focused(), "a7"));
  });

  it("reports the position of a message to screen readers, and leads them to messages that aren't rendered", async () => {
    await show(createTurns(500));
    const last = driver.page.locator('[data-message-id="a499"]');
    await eventually(async () => {
      assert.equal(await last.getAttribute("aria-posinset"), "1000");
      assert.equal(await last.getAttribute("aria-setsize"), "1000");
    });
    const [first] = await articleIds();
    await driver.page
      .locator(".message-gap button")
      .first()
      .evaluate((button: HTMLElement) => button.click());
    await settle();
    const focused = await driver.page.evaluate(
      () => (document.activeElement as HTMLElement).dataset["messageId"],
    );
    assert.notEqual(focused, undefined);
    assert.notEqual(focused, first);
    await eventually(async () => assert.equal(await last.getAttribute("aria-setsize"), "1000"));
  });

  it("shows a message that is requested from outside, wherever it is", async () => {
    await show(createTurns(2_000));
    await driver.send({ type: "showMessage", messageId: "a1000", words: ["1000"] });
    await driver.page.waitForFunction(() => String(getSelection()) === "1000");
    await eventually(async () => assert.ok(await isVisible("Response 1000.")));
  });

  it("adds messages that the host sends later, without moving the visible ones", async () => {
    const messages = createTurns(300);
    const earlier = messages.slice(0, 590).map(({ id, role, text }) => ({ id, role, length: text.length }));
    await driver.send({
      type: "snapshot",
      snapshot: { ...createSnapshot({ messages: messages.slice(590) }), earlier },
    });
    await settle();
    await eventually(async () => assert.ok(await isVisible("Response 299.")));
    const top = (): Promise<number | undefined> =>
      driver.page
        .locator('[data-message-id="a299"]')
        .evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    for (let end = 590; end > 0; end -= 60)
      await driver.send({ type: "earlier", messages: messages.slice(Math.max(0, end - 60), end) });
    await settle();
    await eventually(async () => assert.equal(await top(), before));
    await driver.page.locator(".transcript").focus();
    await driver.page.keyboard.press("Home");
    await eventually(async () => assert.equal(await isVisible("Question 0?"), true));
  });

  it("keeps expanded parts of a message that is removed from the page and rendered again", async () => {
    const messages = createTurns(400).map((message) =>
      message.id === "a399" ? { ...message, reasoning: "Deep." } : message,
    );
    await show(messages);
    await driver.page.locator('[data-message-id="a399"] summary').click();
    await driver.page.getByText("Deep.").waitFor();
    for (const to of [0, 1e9]) {
      await driver.page.evaluate((top) => document.querySelector(".scroller")?.scrollTo(0, top), to);
      await settle();
    }
    await eventually(async () => assert.ok(await driver.page.getByText("Deep.").isVisible()));
  });

  it("continues with a streaming response while other messages are visible", async () => {
    const messages = createTurns(400);
    await show([...messages, createMessage({ id: "s", status: "streaming", text: "" })]);
    await driver.page.evaluate(() => document.querySelector(".scroller")?.scrollTo(0, 0));
    await settle();
    let offset = 0;
    for (let piece = 0; piece < 20; piece += 1) {
      const text = `word${piece} `;
      await driver.send({
        type: "delta",
        messageId: "s",
        textOffset: offset,
        text,
        reasoningOffset: 0,
        reasoning: "",
      });
      offset += text.length;
    }
    await driver.send({
      type: "messageChanged",
      messageId: "s",
      change: { status: "complete", toolCalls: [] },
      length: offset,
    });
    await settle();
    await eventually(async () => assert.ok(await isVisible("Question 0?")));
    await driver.page.evaluate(() => document.querySelector(".scroller")?.scrollTo(0, 1e9));
    await settle();
    // The finished block is also announced.
    await driver.page.getByRole("article").getByText("word0 word1").waitFor();
    await eventually(async () => assert.ok(await isVisible("word19")));
  });

  it("can be searched as a whole, even where markup divides words", async () => {
    await show(
      createTurns(1_000, (turn) =>
        turn === 3
          ? "A hidden **trea**sure here."
          : turn === 500
            ? "Another treasure, and one more TREASURE."
            : "Nothing.",
      ),
    );
    await driver.page.keyboard.press("Control+f");
    const input = driver.page.getByRole("textbox", { name: "Find in Conversation" });
    await input.fill("another treasure");
    await driver.page.locator(".find-count").filter({ hasText: "1 of 1 results" }).waitFor();
    await settle();
    await eventually(async () => assert.ok(await isVisible("Another treasure")));
    const marked = (): Promise<readonly string[]> =>
      driver.page.evaluate(() =>
        [...(CSS.highlights.get("found-current") ?? [])].map((range) => String(range)),
      );
    await eventually(async () => assert.deepEqual(await marked(), ["Another treasure"]));
    await input.fill("sure,");
    await eventually(async () => assert.equal(await isVisible("Another treasure"), true));
    await input.fill("one more treasure");
    await driver.page.waitForFunction(() =>
      [...(CSS.highlights.get("found-current") ?? [])].some((range) => String(range) === "one more TREASURE"),
    );
    await input.fill("treasure");
    await driver.page.locator(".find-count").filter({ hasText: "2 of 3 results" }).waitFor();
    await input.press("Enter");
    await eventually(async () => assert.deepEqual(await marked(), ["TREASURE"]));
    await input.press("Enter");
    await driver.page.locator(".find-count").filter({ hasText: "1 of 3 results" }).waitFor();
    await eventually(async () => assert.ok(await isVisible("A hidden")));
    await input.fill("no such words");
    await driver.page.getByText("No results").waitFor();
    await input.press("Escape");
    await eventually(async () => {
      assert.equal(await driver.page.evaluate(() => document.activeElement?.tagName), "TEXTAREA");
      assert.equal(await input.isVisible(), false);
    });
  });

  it("is searched again while the find bar is open, when a response ends and when another version is shown", async () => {
    const response = createMessage({ id: "a", status: "streaming", text: "" });
    await show([createMessage({ id: "q", role: "user", text: "Where is it?" }), response]);
    await driver.page.keyboard.press("Control+f");
    await driver.page.getByRole("textbox", { name: "Find in Conversation" }).fill("treasure");
    await driver.page.getByText("No results").waitFor();
    const ended = { ...response, text: "A treasure.", status: "complete" } as const;
    await driver.send({ type: "messageAdded", message: ended });
    await driver.page.locator(".find-count").filter({ hasText: "of 1 results" }).waitFor();
    const other = createMessage({ id: "b", text: "It is lost." });
    const path = { messages: [other], versions: { b: ["a", "b"] }, comparison: [] };
    await driver.send({ type: "path", keep: 1, path });
    await driver.page.getByText("No results").waitFor();
  });

  it("can be searched to the last match in a long response", async () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `A treasure${index} here.`).join("\n\n");
    await show([createMessage({ id: "long", text: words })]);
    await driver.page.getByText("treasure2999").waitFor({ state: "attached" });
    await driver.page.keyboard.press("Control+f");
    const input = driver.page.getByRole("textbox", { name: "Find in Conversation" });
    await input.fill("treasure");
    await driver.page.locator(".find-count").filter({ hasText: "1 of 3,000 results" }).waitFor();
    const marked = (): Promise<readonly (string | undefined)[]> =>
      driver.page.evaluate(() =>
        [...(CSS.highlights.get("found-current") ?? [])].map(
          ({ startContainer }) => startContainer.nodeValue?.split(" ")[1],
        ),
      );
    await eventually(async () => assert.deepEqual(await marked(), ["treasure0"]));
    await input.press("Shift+Enter");
    await eventually(async () => assert.deepEqual(await marked(), ["treasure2999"]));
    await settle();
    await eventually(async () => assert.ok(await isVisible("treasure2999")));
    await input.press("Shift+Enter");
    await eventually(async () => assert.deepEqual(await marked(), ["treasure2998"]));
  });

  it("can be copied as a whole when all of it is selected", async () => {
    await show(createTurns(300, (turn) => `Response ${turn}.`));
    const copied = await driver.page.evaluate(() => {
      const transcript = document.querySelector(".transcript");
      if (transcript === null) throw new Error("There is no transcript.");
      getSelection()?.selectAllChildren(document.body);
      const data = new DataTransfer();
      transcript.dispatchEvent(
        new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }),
      );
      return data.getData("text/plain");
    });
    assert.ok(copied.startsWith("You:\nQuestion 0?\n\nopenlab/echo:\nResponse 0.\n\nYou:\nQuestion 1?"));
    assert.ok(copied.endsWith("Response 299."));
    assert.equal(copied.match(/Question/g)?.length, 300);
  });

  it("is copied as a whole after everything is selected, without laying it out", async () => {
    await show([
      createMessage({ id: "q", role: "user", text: "Question?" }),
      createMessage({ id: "a", text: "Some *words*.\n\n".repeat(20_000) }),
    ]);
    const { page } = driver;
    await page.locator(".transcript").focus();
    await page.keyboard.press("Control+a");
    await driver.frames();
    await page.evaluate(() => {
      document.addEventListener("copy", (event) => {
        document.title = event.clipboardData?.getData("text/plain") ?? "";
      });
    });
    await page.keyboard.press("Control+c");
    const copied = await eventually(async () => {
      const title = await page.title();
      assert.ok(title.startsWith("You: Question? openlab/echo: Some *words*."));
      return title;
    });
    assert.equal(copied.match(/words/g)?.length, 20_000);
    const isLaidOut = await page.evaluate(() =>
      document.querySelector(".section p")?.checkVisibility({ contentVisibilityAuto: true }),
    );
    assert.equal(isLaidOut, false);
    await eventually(async () => assert.equal(await page.locator(".whole-selected").count(), 1));
    await page.getByRole("textbox", { name: "Message" }).click();
    await page.keyboard.press("Control+a");
    // The browser reports a changed selection in a later task.
    await page.locator(".whole-selected").waitFor({ state: "detached" });
  });

  it("can be printed as a whole", async () => {
    await show(createTurns(100));
    await driver.page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await eventually(async () => {
      assert.equal((await articleIds()).length, 200);
      assert.match((await driver.page.locator('[data-message-id="a0"]').textContent()) ?? "", /Response 0/);
    });
    await driver.page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await eventually(async () => assert.ok((await articleIds()).length < 60));
  });
});
