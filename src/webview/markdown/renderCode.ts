import { iconButtonClass } from "../kit/dom.ts";
import { t } from "@vscode/l10n";
import { fileNameInComment, parseFenceInfo } from "../../core/responses/code/codeLanguage.ts";
import type { FenceInfo } from "../../core/responses/code/codeLanguage.ts";
import { linesPerChunk } from "./highlight/codeHighlighter.ts";
import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

/**
 * A code block with its header: language, file name and copy button. More actions are added when it is finished. `info`
 * is the text after the fence.
 */
export function renderCode(info: string, content: string): ElementTree {
  const { language, fileName } = readHead(info, content);
  const attributes = { class: "code", "data-language": language.toLowerCase() };
  return element("div", fileName === undefined ? attributes : { ...attributes, "data-file": fileName }, [
    element("div", { class: "code-head" }, [
      element("span", { class: "code-language" }, [language === "" ? t("text") : language]),
      ...(fileName === undefined ? [] : [element("span", { class: "code-file", dir: "ltr" }, [fileName])]),
      element("div", { class: "code-actions", role: "toolbar", "aria-label": t("Code actions") }, [
        copyButton(language),
      ]),
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

/** The file name comes from the fence, otherwise from a first line that is a comment with nothing else in it. */
function readHead(info: string, content: string): FenceInfo {
  const head = parseFenceInfo(info);
  const fileName = head.fileName ?? fileNameInComment(content.slice(0, 300).split("\n", 1)[0] ?? "");
  return fileName === undefined ? head : { ...head, fileName };
}

/** The path to the chunks in the tree of `renderCode`. */
export const codePath: readonly number[] = [1, 0];

/** One chunk of lines. */
function codeChunk(children: readonly Tree[]): ElementTree {
  return element("span", { class: "code-lines" }, children);
}

/** Splits after every `linesPerChunk` lines. */
function chunkLines(content: string): readonly string[] {
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
  const label = language === "" ? t("Copy Code") : t("Copy {0} Code", language);
  const attributes = { type: "button", class: iconButtonClass("copy"), "data-copy": "code" };
  return element("button", { ...attributes, title: t("Copy"), "aria-label": label });
}
