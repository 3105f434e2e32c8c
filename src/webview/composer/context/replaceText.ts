/** Replaces a part of the draft so that Undo restores it, and dispatches events as if it had been typed. */
export function replaceText(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus();
  field.setSelectionRange(start, end);
  // The only way that preserves the field's undo history. It is deprecated but has no successor.
  const isDone =
    text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (isDone || (text === "" && start === end)) return;
  field.setRangeText(text, start, end, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
