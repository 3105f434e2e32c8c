// Exposes other renderers to measurements inside the browser. Each shows a text at once, as in a frame of a stream.
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { Streamdown } from "streamdown";

const components = {
  reactMarkdown: (text) => createElement(Markdown, { remarkPlugins: [remarkGfm] }, text),
  streamdown: (text) => createElement(Streamdown, {}, text),
};

globalThis.createAlternative = (name, element) => {
  const root = createRoot(element);
  return (text) => flushSync(() => root.render(components[name](text)));
};
