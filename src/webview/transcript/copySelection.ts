import { t } from "@vscode/l10n";
import { create } from "../kit/dom.ts";
import type { MessageSlot } from "./messageSlot.ts";
import { selectedHtml, selectedText } from "./selectedText.ts";
import type { TranscriptWindow } from "./transcriptWindow.ts";

/**
 * Copies a selection in the transcript as it reads. Messages without elements are included with their complete text, as
 * are all messages that are selected as a whole.
 */
export function copyWholeSelection(root: HTMLElement, shown: TranscriptWindow): void {
  const whole = new WholeSelection(root, shown);
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    if (event.target instanceof Element && event.target.closest("textarea, input") !== null) return;
    if (whole.isSelected) {
      event.clipboardData.setData(
        "text/plain",
        joinTexts(shown.slots.filter(({ role }) => role !== "tool").map(textOf)),
      );
      return event.preventDefault();
    }
    const range = selection.getRangeAt(0);
    if (event.defaultPrevented || !range.intersectsNode(root)) return;
    const children = [...root.children].filter((child) => selection.containsNode(child, true));
    const hasGap = children.some((child) => child.matches(".message-gap"));
    const texts = children.flatMap((child) => {
      const slots = shown.slotsOf(child);
      const isWhole =
        slots.length > 0 && (child.matches(".message-gap") || selection.containsNode(child, false));
      return hasGap && isWhole ? slots.map(textOf) : [selectedText(range, child)];
    });
    event.clipboardData.setData("text/plain", joinTexts(texts));
    if (!hasGap) event.clipboardData.setData("text/html", selectedHtml(range));
    event.preventDefault();
  });
}

/**
 * What “Select All” does in a long conversation. The browser would have to lay out everything that is selected, which
 * takes seconds for a response of a million tokens, so a hidden element is selected in its place.
 */
class WholeSelection {
  readonly #root: HTMLElement;
  readonly #standIn = create("span", { class: "visually-hidden" }, t("Whole conversation"));
  #isPressed = false;

  constructor(root: HTMLElement, shown: TranscriptWindow) {
    this.#root = root;
    for (const type of ["pointerdown", "pointerup", "pointercancel"])
      document.addEventListener(type, () => (this.#isPressed = type === "pointerdown"), { capture: true });
    document.addEventListener("selectstart", (event) => {
      // A selection that doesn't begin with the mouse begins at the body only when everything is selected.
      if (this.#isPressed || event.target !== document.body || shown.isWhole) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      this.#select();
    });
    document.addEventListener("selectionchange", () => {
      if (!this.isSelected) this.#clear();
    });
  }

  get isSelected(): boolean {
    return this.#standIn.isConnected && getSelection()?.containsNode(this.#standIn, true) === true;
  }

  #select(): void {
    this.#root.after(this.#standIn);
    this.#root.classList.add("whole-selected");
    getSelection()?.selectAllChildren(this.#standIn);
  }

  #clear(): void {
    this.#standIn.remove();
    this.#root.classList.remove("whole-selected");
  }
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** A message as copied: its author, and the text as it arrived. */
function textOf({ message }: MessageSlot): string {
  if (message === undefined) return "";
  const author = message.role === "user" ? t("You") : (message.model ?? t("Assistant"));
  return `${author}:\n${message.text}`;
}
