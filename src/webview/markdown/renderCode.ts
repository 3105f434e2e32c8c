import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

/** Lines in one node: a text node that grows for ever would be laid out again as a whole at every delta. */
export const linesPerChunk = 64;

/** A code block with its head: language and copy button. `info` is what stands after the fence. */
export function renderCode(info: string, content: string): ElementTree {
  const language = info.trim().split(/\s+/, 1)[0] ?? "";
  return element("div", { class: "code", "data-language": language.toLowerCase() }, [
    element("div", { class: "code-head" }, [
      element("span", { class: "code-language" }, language === "" ? [] : [language]),
      copyButton(language),
    ]),
    element("pre", { tabindex: "0", dir: "ltr" }, [
      element(
        "code",
        {},
        chunkLines(content).map((lines) => codeChunk([lines])),
      ),
    ]),
  ]);
}

/** Where the chunks are inside the tree of `renderCode`. */
export const codePath: readonly number[] = [1, 0];

/** One run of lines. */
export function codeChunk(children: readonly Tree[]): ElementTree {
  return element("span", { class: "code-lines" }, children);
}

/** Cuts after every `linesPerChunk` lines. */
export function chunkLines(content: string): readonly string[] {
  const chunks: string[] = [];
  let start = 0;
  let lines = 0;
  for (let end = content.indexOf("\n"); end !== -1; end = content.indexOf("\n", end + 1)) {
    lines += 1;
    if (lines % linesPerChunk !== 0) continue;
    chunks.push(content.slice(start, end + 1));
    start = end + 1;
  }
  if (start < content.length) chunks.push(content.slice(start));
  return chunks;
}

function copyButton(language: string): ElementTree {
  const label = language === "" ? "Copy code" : `Copy ${language} code`;
  return element(
    "button",
    { type: "button", class: "icon-button", "data-copy": "code", title: "Copy", "aria-label": label },
    [element("span", { class: "codicon codicon-copy", "aria-hidden": "true" })],
  );
}
