import type { IconName } from "../../../core/kernel/iconNames.ts";
import { t } from "@vscode/l10n";
import {
  codeActions,
  isShellLanguage,
  fileNameFromProse,
} from "../../../core/responses/code/codeLanguage.ts";
import { create, iconButtonClass } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";

/** Adds the actions to the code blocks in a finished block of a message: an incomplete command must never be run. */
export function addCodeActions(block: Node): void {
  if (!(block instanceof HTMLElement)) return;
  const found = block.matches(".code") ? [block] : block.querySelectorAll<HTMLElement>(".code");
  for (const code of found) addActions(code);
}

/** Requests the action of a button in a code block's header from the host. */
export function requestCodeAction(button: HTMLElement, host: Host): void {
  const block = button.closest<HTMLElement>(".code");
  const code = block?.querySelector("code");
  const action = codeActions.find((known) => known === button.dataset["code"]);
  if (block === null || !code || action === undefined) return;
  const { language = "" } = block.dataset;
  const fileName = fileNameOf(block);
  host.post({
    ...{ type: "code", action, code: code.textContent },
    ...(language === "" ? {} : { language }),
    ...(fileName === undefined ? {} : { fileName }),
  });
}

function addActions(block: HTMLElement): void {
  const actions = block.querySelector(".code-actions");
  const isBare = actions?.querySelector("[data-code]") === null;
  if (!isBare || (block.querySelector("code")?.textContent ?? "").trim() === "") return;
  const language = block.dataset["language"] ?? "";
  const fileName = fileNameOf(block);
  const apply = fileName === undefined ? t("Apply to File…") : t("Apply to {0}…", fileName);
  actions?.prepend(
    ...(isShellLanguage(language) ? [createButton("run", "terminal", t("Run in Terminal…"))] : []),
    createButton("insert", "insert", t("Insert at Cursor")),
    createButton("newFile", "new-file", t("Open as New File")),
    createButton("apply", "git-compare", apply),
  );
}

function createButton(action: (typeof codeActions)[number], iconName: IconName, label: string): HTMLElement {
  // The copy button is the toolbar's Tab stop.
  const attributes = {
    type: "button",
    class: iconButtonClass(iconName),
    "data-code": action,
    tabindex: "-1",
  };
  return create("button", { ...attributes, title: label, "aria-label": label });
}

/** From the block itself, otherwise from the text before the block. */
function fileNameOf(block: HTMLElement): string | undefined {
  return block.dataset["file"] ?? fileNameFromProse(wordsBefore(block));
}

/** What contains the blocks of a long message or quote. */
const groups = ".part-group, .section, .chapter";

/**
 * The previous block, which is in the previous group if this is the first of its own; in a tight list, the text of the
 * item.
 */
function wordsBefore(block: HTMLElement): string {
  let words = "";
  for (let node = block.previousSibling; node !== null && isProse(node); node = node.previousSibling)
    words = (node.textContent ?? "") + words;
  if (words.trim() !== "") return words;
  let first: Element = block;
  while (first.previousSibling === null && first.parentElement?.matches(groups) === true)
    first = first.parentElement;
  let before = first.previousSibling;
  while (before instanceof Element && before.matches(groups)) before = before.lastChild;
  return before?.textContent ?? "";
}

function isProse(node: Node): boolean {
  return node instanceof Text || (node instanceof Element && node.matches("a, code, em, strong, s, span"));
}
