import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { readAttacks } from "../support/attacks.ts";
import type { ChatPageDriver } from "../support/chatPageDriver.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const attacks = readAttacks();

/** What must never be in the page, regardless of the model, the server or the user. */
async function findDanger(driver: ChatPageDriver): Promise<readonly string[]> {
  return await driver.page.evaluate(() => {
    const allowed = new Set(
      `A ARTICLE BLOCKQUOTE BR BUTTON CODE DD DETAILS DIV DL DT EM FOOTER H1 H2 H3 H4 H5 H6 HR I IMG INPUT LI OL P PRE S SPAN
       STRONG SUMMARY SUP TABLE TBODY TD TH THEAD TR UL`.split(/\s+/),
    );
    const found: string[] = globalThis.__pwned === undefined ? [] : ["a script has run"];
    const math = new Set(
      `annotation line math menclose merror mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub
       msubsup msup mtable mtd mtext mtr munder munderover path semantics svg`.split(/\s+/),
    );
    const image = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/;
    for (const element of document.querySelectorAll('[role="log"] *')) {
      const isMath = element.closest(".math.typeset") !== null;
      if (!allowed.has(element.tagName) && !(isMath && math.has(element.tagName)))
        found.push(`<${element.tagName}>`);
      for (const { name, value } of element.attributes) {
        if (element.tagName === "IMG" && name === "src" && image.test(value)) continue;
        const isDrawing = element.matches("img.diagram-image") && value.startsWith("data:image/svg+xml;");
        if (isDrawing && name === "src") continue;
        // The placeholders of messages that aren't on the page, and of those that are about to be.
        const isPlace =
          element.matches(".message-gap, article") && /^(?:(?:min-)?height: [\d.]+px;)?$/.test(value);
        if (isPlace && name === "style") continue;
        if (isMath && name === "style" && !/url|image|position|@|\\/i.test(value)) continue;
        if (/^on|^style$|^src|^action$|^formaction$|^srcset$|^id$/i.test(name))
          found.push(`${name}="${value}"`);
        if (name === "href" && !/^#$|^(?:https?:\/\/|mailto:)/i.test(value)) found.push(`href="${value}"`);
      }
    }
    return found;
  });
}

/** The IDs of the payloads that don't show any text. */
async function findUnreadable(driver: ChatPageDriver): Promise<readonly string[]> {
  return await driver.page.evaluate(() =>
    [...document.querySelectorAll("article")]
      .filter(
        (article) =>
          article.querySelector("img") === null &&
          (article.querySelector(".markdown:not(.reasoning-text)")?.textContent ?? "").trim() === "",
      )
      .map((article) => article.dataset["messageId"] ?? ""),
  );
}

/** As many messages at a time as the page shows without omitting any. */
function portions(all: readonly Message[]): readonly (readonly Message[])[] {
  const found: Message[][] = [];
  let room = 0;
  for (const message of all) {
    if (message.text.length > room || (found.at(-1)?.length ?? Infinity) >= 40) {
      found.push([]);
      room = 200_000;
    }
    found.at(-1)?.push(message);
    room -= message.text.length;
  }
  return found;
}

describe("Attack payloads", function () {
  const driver = testChatPage();

  /** A test after which there must be nothing dangerous in the page, and which must not have left it. */
  function harmless(title: string, attack: () => Promise<void>): void {
    it(`are harmless ${title}`, async () => {
      const address = driver.page.url();
      await attack();
      await driver.frames();
      assert.deepEqual(await findDanger(driver), []);
      assert.equal(driver.page.url(), address);
    });
  }

  /** Shows all messages and visits each of them. */
  async function show(messages: readonly Message[]): Promise<void> {
    for (const portion of portions(messages)) {
      await showPortion(portion);
      assert.deepEqual(await findDanger(driver), []);
    }
  }

  async function showPortion(messages: readonly Message[]): Promise<void> {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.page.waitForFunction(
      (ids) =>
        ids.every(
          (id) =>
            document.querySelector(`[data-message-id="${id}"] .markdown:not(.reasoning-text) > *`) !== null,
        ),
      messages.filter(({ text }) => text.trim() !== "").map(({ id }) => id),
    );
  }

  harmless("and readable as complete responses", async () => {
    for (const portion of portions(attacks.map(({ id, payload }) => createMessage({ id, text: payload })))) {
      await showPortion(portion);
      const unreadable = await findUnreadable(driver);
      const empty = portion.filter(({ text }) => text.trim() === "").map(({ id }) => id);
      assert.deepEqual(unreadable, empty);
      assert.deepEqual(await findDanger(driver), []);
    }
  });

  harmless("when streamed unit by unit", async () => {
    const short = attacks.filter(({ payload }) => payload.length <= 400);
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ conversationId: "units", isStreaming: true }),
    });
    await driver.page.evaluate(
      async (json) => {
        const list: readonly { readonly message: { readonly id: string; readonly text: string } }[] =
          JSON.parse(json);
        const say = (data: unknown): void => void window.dispatchEvent(new MessageEvent("message", { data }));
        for (const { message } of list)
          say({ type: "messageAdded", message: { ...message, text: "", status: "streaming" } });
        const longest = Math.max(...list.map(({ message }) => message.text.length));
        for (let offset = 0; offset < longest; offset += 1) {
          for (const { message } of list) {
            if (offset >= message.text.length) continue;
            const delta = { messageId: message.id, textOffset: offset, text: message.text[offset] };
            say({ type: "delta", ...delta, reasoningOffset: 0, reasoning: "" });
          }
          await new Promise(requestAnimationFrame);
        }
        for (const { message } of list)
          say({
            type: "messageChanged",
            messageId: message.id,
            change: { status: "complete", toolCalls: [] },
            length: message.text.length,
          });
      },
      JSON.stringify(short.map(({ id, payload }) => ({ message: createMessage({ id, text: payload }) }))),
    );
  });

  harmless("inside a list item, a table cell and a quote", async () => {
    const line = (payload: string): string => payload.replaceAll(/\s+/g, " ");
    await show(
      attacks.map(({ id, payload }) =>
        createMessage({
          id,
          text: `- ${line(payload)}\n\n| h |\n|---|\n| ${line(payload)} |\n\n> ${line(payload)}`,
        }),
      ),
    );
  });

  harmless("as the language of a code block", async () => {
    await show(
      attacks.map(({ id, payload }) =>
        createMessage({ id, text: `~~~${payload.replaceAll(/\s+/g, " ")}\ncode\n~~~\n` }),
      ),
    );
  });

  harmless("as the target and the image of a link", async () => {
    await show(
      attacks.map(({ id, payload }) =>
        createMessage({
          id,
          text: `[text](<${payload}>) ![text](<${payload}>) [a]\n\n[a]: ${payload.replaceAll(/\s/g, "")}`,
        }),
      ),
    );
  });

  harmless("in formulas, footnotes and images", async () => {
    const line = (payload: string): string => payload.replaceAll(/\s+/g, " ").replaceAll("$", "");
    await show(
      attacks.map(({ id, payload }) =>
        createMessage({
          id,
          text: `$${line(payload)}$ \\(\\text{${line(payload)}}\\) [^${id}]\n\n$$\n${line(payload)}\n$$\n\n[^${id}]: ${line(payload)}\n\n[^${payload.replaceAll(/\s/g, "")}]: x`,
        }),
      ),
    );
    await driver.page.locator(".math.typeset").first().waitFor();
  });

  harmless("in diagrams", async () => {
    const line = (payload: string): string => payload.replaceAll(/[\s"]+/g, " ").slice(0, 300);
    const some = attacks.filter((_attack, index) => index % 20 === 0);
    await show(
      some.map(({ id, payload }) =>
        createMessage({ id, text: `\`\`\`mermaid\nflowchart LR\n  A["${line(payload)}"] --> B\n\`\`\`\n` }),
      ),
    );
    await driver.page.locator(".diagram-image, .diagram-error").first().waitFor();
  });

  harmless("as error text, model name and tool call", async () => {
    await show(
      attacks.map(({ id, payload }) =>
        createMessage({
          id,
          status: "failed",
          model: payload,
          reasoning: payload,
          toolCalls: [{ id, name: payload, arguments: payload }],
          error: {
            reason: "service",
            message: payload,
            code: payload,
            serverMessage: payload,
            requestId: payload,
            request: payload,
          },
        }),
      ),
    );
    await driver.page.evaluate(() => {
      for (const card of document.querySelectorAll("details")) card.open = true;
    });
  });

  harmless("in the picker, the title, the notices and the draft", async () => {
    await driver.page.evaluate(
      async (payloads) => {
        const say = (data: unknown): void => void window.dispatchEvent(new MessageEvent("message", { data }));
        for (const payload of payloads) {
          const models = [{ id: payload, name: payload }];
          say({ type: "picker", picker: { state: "ready", models, selected: payload } });
          say({ type: "title", title: payload });
          say({ type: "setup", setup: { message: payload, actions: [{ id: "retry", label: payload }] } });
          const error = { reason: "service", message: payload, serverMessage: payload };
          const retry = { attempt: 1, maxAttempts: 2, dueAt: 0, error };
          say({ type: "streaming", isStreaming: true, retry });
          // Lets anything that it triggers start before it is replaced by the next one.
          await new Promise((resolve) => setTimeout(resolve));
        }
      },
      attacks.map(({ payload }) => payload),
    );
  });
});
