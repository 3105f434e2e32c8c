import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { ChatPageDriver } from "../../webview/support/chatPageDriver.ts";
import { createMessage, createSnapshot } from "../../webview/support/chatPageDriver.ts";

/** A way of displaying a response. `prepare` shows the start; each frame then adds more. */
export interface Way {
  readonly name: string;
  prepare(driver: ChatPageDriver, text: string, shown: number): Promise<void>;
}

type Alternative = "reactMarkdown" | "streamdown";

declare global {
  /** Shows the text up to this length; called once per frame. */
  var showUpTo: (length: number) => void;
  /** Returns a function that shows a text in the element. */
  var createAlternative: (name: Alternative, element: Element) => (text: string) => void;
}

/** The actual page: deltas arrive as messages. */
export const ours: Way = {
  name: "our page",
  async prepare(driver, text, shown) {
    const message = createMessage({ id: "answer", status: "streaming", text: text.slice(0, shown) });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ isStreaming: true, messages: [message] }),
    });
    await driver.page.evaluate(
      ({ whole, start }) => {
        let offset = start;
        globalThis.showUpTo = (length) => {
          const delta = {
            type: "delta",
            messageId: "answer",
            textOffset: offset,
            text: whole.slice(offset, length),
          };
          offset = length;
          const data = { ...delta, reasoningOffset: 0, reasoning: "" };
          window.dispatchEvent(new MessageEvent("message", { data }));
        };
      },
      { whole: text, start: shown },
    );
  },
};

/** The lower limit: copies the finished nodes one after the other, with nothing to parse. */
export const replay: Way = {
  name: "replay of the finished nodes",
  async prepare(driver, text, shown) {
    await prepareEmpty(driver);
    await driver.loadRenderer();
    await driver.page.evaluate(
      ({ whole, start }) => {
        const finished = document.createElement("div");
        const stream = globalThis.renderer.createStream(finished);
        stream.append(whole);
        stream.finish();
        stream.updateReferences();
        const root = document.querySelector("article .markdown:not(.reasoning-text)");
        const scroller = document.querySelector(".scroller");
        if (root === null || scroller === null) throw new Error("The page is not there.");
        const copies = new Map<Node, Node>([[finished, root]]);
        const walker = document.createTreeWalker(finished);
        const total = finished.textContent?.length ?? 1;
        let copied = 0;
        let rest = "";
        let text: Text | undefined;
        const step = (count: number): number => {
          if (text !== undefined && rest !== "") {
            const piece = rest.slice(0, count);
            text.appendData(piece);
            rest = rest.slice(count);
            return piece.length;
          }
          const node = walker.nextNode();
          if (node === null) return count;
          const copy = node instanceof Text ? document.createTextNode("") : node.cloneNode(false);
          if (node.parentNode !== null) copies.get(node.parentNode)?.appendChild(copy);
          copies.set(node, copy);
          if (node instanceof Text && copy instanceof Text) {
            text = copy;
            rest = node.data;
          }
          return 0;
        };
        globalThis.showUpTo = (length) => {
          const goal = (length / whole.length) * total;
          while (copied < goal) copied += step(Math.ceil(goal - copied));
          scroller.scrollTop = scroller.scrollHeight;
        };
        globalThis.showUpTo(start);
      },
      { whole: text, start: shown },
    );
  },
};

/** The text as it is, with one paragraph per line. */
export const plainText: Way = {
  name: "plain text",
  async prepare(driver, text, shown) {
    await prepareEmpty(driver);
    await driver.page.evaluate(
      ({ whole, start }) => {
        const root = document.querySelector("article .markdown:not(.reasoning-text)");
        const scroller = document.querySelector(".scroller");
        if (root === null || scroller === null) throw new Error("The page is not there.");
        let offset = 0;
        globalThis.showUpTo = (length) => {
          for (const [index, line] of whole.slice(offset, length).split("\n").entries()) {
            if (index > 0 || root.lastElementChild === null) root.append(document.createElement("p"));
            root.lastElementChild?.append(line);
          }
          offset = length;
          scroller.scrollTop = scroller.scrollHeight;
        };
        globalThis.showUpTo(start);
      },
      { whole: text, start: shown },
    );
  },
};

/** What most chats do: parse and replace the whole text at each frame. */
export const wholeText: Way = {
  name: "markdown-it over the whole text",
  async prepare(driver, text, shown) {
    await prepareEmpty(driver);
    await driver.loadRenderer();
    await driver.page.evaluate(
      ({ whole, start }) => {
        const markdown = globalThis.renderer.createMarkdownIt({ html: false });
        const root = document.querySelector("article .markdown:not(.reasoning-text)");
        const scroller = document.querySelector(".scroller");
        if (root === null || scroller === null) throw new Error("The page is not there.");
        globalThis.showUpTo = (length) => {
          root.innerHTML = markdown.render(whole.slice(0, length));
          scroller.scrollTop = scroller.scrollHeight;
        };
        globalThis.showUpTo(start);
      },
      { whole: text, start: shown },
    );
  },
};

/** The components that most React chats use, given the whole text at each frame. */
export const reactMarkdown = createAlternativeWay("react-markdown", "reactMarkdown");
export const streamdown = createAlternativeWay("streamdown", "streamdown");

function createAlternativeWay(name: string, component: Alternative): Way {
  return {
    name,
    async prepare(driver, text, shown) {
      await prepareEmpty(driver);
      await driver.page.evaluate(await (alternatives ??= bundleAlternatives()));
      await driver.page.evaluate(
        ({ whole, start, alternative }) => {
          const root = document.querySelector("article .markdown:not(.reasoning-text)");
          const scroller = document.querySelector(".scroller");
          if (root === null || scroller === null) throw new Error("The page is not there.");
          const show = globalThis.createAlternative(alternative, root);
          globalThis.showUpTo = (length) => {
            show(whole.slice(0, length));
            scroller.scrollTop = scroller.scrollHeight;
          };
          globalThis.showUpTo(start);
        },
        { whole: text, start: shown, alternative: component },
      );
    },
  };
}

let alternatives: Promise<string> | undefined;

async function bundleAlternatives(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../alternatives/entry.mjs", import.meta.url))],
    ...{ bundle: true, write: false, minify: true, format: "iife", platform: "browser" },
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

async function prepareEmpty(driver: ChatPageDriver): Promise<void> {
  const message = createMessage({ id: "answer", status: "streaming", text: "" });
  await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
}
