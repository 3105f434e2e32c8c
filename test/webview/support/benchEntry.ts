// Exposes the renderer to tests and benchmarks inside the browser.
import createMarkdownIt from "markdown-it";
import { createDomTarget } from "../../../src/webview/markdown/domTarget.ts";
import { MarkdownStream } from "../../../src/webview/markdown/markdownStream.ts";

const renderer = {
  createStream: (root: Node, cutAbove?: number) =>
    new MarkdownStream<Node>(createDomTarget(document), root, cutAbove === undefined ? {} : { cutAbove }),
  createMarkdownIt,
};

declare global {
  var renderer: {
    createStream(root: Node, cutAbove?: number): MarkdownStream<Node>;
    readonly createMarkdownIt: typeof createMarkdownIt;
  };
}

globalThis.renderer = renderer;
