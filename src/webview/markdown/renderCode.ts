import { iconButtonClass } from "../kit/dom.ts";
import { t } from "@vscode/l10n";
import { fileNameInComment, parseFenceInfo } from "../../core/responses/code/codeLanguage.ts";
import type { FenceInfo } from "../../core/responses/code/codeLanguage.ts";
import { linesPerChunk } from "./highlight/codeHighlighter.ts";
import { withMarkBases } from "./renderInline.ts";
import { betweenCharacters } from "./runs.ts";
import { element } from "./tree.ts";
import type { ElementTree } from "./tree.ts";

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
    element("pre", { tabindex: "0", dir: "ltr" }, [element("code", {}, chunkLines(content).map(codeChunk))]),
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

/** Lines of code that are laid out together. */
interface CodeChunk {
  readonly text: string;
  /** Whether it is a part of a very long line, which is wrapped. */
  readonly isWrapped: boolean;
}

function codeChunk({ text, isWrapped }: CodeChunk): ElementTree {
  return element("span", { class: isWrapped ? "code-lines wrapped" : "code-lines" }, withMarkBases(text));
}

/** UTF-16 code units of a line that is laid out at once. A longer one would cost this again at every delta. */
const longestLine = 4000;

/** Splits after every `linesPerChunk` lines, and very long lines into pieces. */
export function chunkLines(content: string): readonly CodeChunk[] {
  const chunks: CodeChunk[] = [];
  let start = 0;
  const cut = (end: number, isWrapped = false): void => {
    if (end > start) chunks.push({ text: content.slice(start, end), isWrapped });
    start = end;
  };
  let lineStart = 0;
  for (let line = 1; lineStart < content.length; line += 1) {
    const end = content.indexOf("\n", lineStart) + 1 || content.length;
    if (end - lineStart > longestLine) {
      cut(lineStart);
      while (end - start > longestLine) cut(betweenCharacters(content, start + longestLine), true);
      cut(end, true);
    } else if (line % linesPerChunk === 0 && content.endsWith("\n", end)) cut(end);
    lineStart = end;
  }
  cut(content.length);
  return chunks;
}

function copyButton(language: string): ElementTree {
  const label = language === "" ? t("Copy Code") : t("Copy {0} Code", language);
  const attributes = { type: "button", class: iconButtonClass("copy"), "data-copy": "code" };
  return element("button", { ...attributes, title: t("Copy"), "aria-label": label });
}
