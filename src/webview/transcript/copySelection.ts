import { t } from "@vscode/l10n";
import type { MessageSlot } from "./messageSlot.ts";
import type { TranscriptWindow } from "./transcriptWindow.ts";

/**
 * Copies a selection that spans messages without elements. Those are included with their complete text, as are all
 * messages that are selected as a whole. Any other selection is left to the browser.
 */
export function copyWholeSelection(root: HTMLElement, shown: TranscriptWindow): void {
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    if (event.target instanceof Element && event.target.closest("textarea, input") !== null) return;
    const children = [...root.children].filter((child) => selection.containsNode(child, true));
    if (!children.some((child) => child.matches(".message-gap"))) return;
    const texts = children.flatMap((child) => {
      const slots = shown.slotsOf(child);
      const isWhole =
        slots.length > 0 && (child.matches(".message-gap") || selection.containsNode(child, false));
      return isWhole ? slots.map(textOf) : [selectedText(selection, child)];
    });
    event.clipboardData.setData("text/plain", texts.filter((text) => text !== "").join("\n\n"));
    event.preventDefault();
  });
}

/** A message as copied: its author, and the text as it arrived. */
function textOf({ message }: MessageSlot): string {
  if (message === undefined) return "";
  const author = message.role === "user" ? t("You") : (message.model ?? t("Assistant"));
  return `${author}:\n${message.text}`;
}

function selectedText(selection: Selection, element: Element): string {
  const range = selection.getRangeAt(0).cloneRange();
  const whole = document.createRange();
  whole.selectNodeContents(element);
  if (range.compareBoundaryPoints(Range.START_TO_START, whole) < 0)
    range.setStart(whole.startContainer, whole.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, whole) > 0)
    range.setEnd(whole.endContainer, whole.endOffset);
  return range.toString();
}
