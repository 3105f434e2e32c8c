import { isLongText } from "../../core/compose/context/pastedText.ts";
import { replaceText } from "./context/replaceText.ts";

/** UTF-16 units of a draft or message that are still put into a text field: the user may have written them. */
export const longestInField = 100_000;

/** Attaches a text; what it returns takes that back. */
type Attach = (text: string) => () => void;

/** Text that was pasted and is wanted in the field all the same. */
export interface LongText {
  insert(text: string): void;
}

/**
 * Attaches long text that is pasted, dropped or put into a text field in another way: the field would make the page wait
 * for seconds, and at each key again. Undo takes it back while nothing else was written.
 */
export function attachLongText(field: HTMLTextAreaElement, attach: Attach): LongText {
  let takeBack: (() => void) | undefined;
  const take = (event: Event, text: string): void => {
    if (!isLongText(text)) return;
    event.preventDefault();
    takeBack = attach(text);
  };
  field.addEventListener("paste", (event) => {
    if (event.clipboardData?.files.length === 0) take(event, event.clipboardData.getData("text/plain"));
  });
  field.addEventListener("drop", (event) => {
    if (event.dataTransfer?.files.length === 0) take(event, event.dataTransfer.getData("text/plain"));
  });
  field.addEventListener("beforeinput", (event) => {
    if (event.inputType.startsWith("insert"))
      take(event, event.data ?? event.dataTransfer?.getData("text/plain") ?? "");
  });
  field.addEventListener("input", () => (takeBack = undefined));
  field.addEventListener("keydown", (event) => {
    const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isUndo || event.altKey || takeBack === undefined) return;
    event.preventDefault();
    takeBack();
    takeBack = undefined;
  });
  return {
    insert(text) {
      const { value, selectionStart, selectionEnd } = field;
      if (!isLongText(text)) return replaceText(field, selectionStart, selectionEnd, text);
      // The browser's own way, which Undo knows, takes a quarter of a minute for two thousand lines.
      const show = (): void => void field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      field.setRangeText(text, selectionStart, selectionEnd, "end");
      field.focus();
      show();
      takeBack = () => {
        field.value = value;
        field.setSelectionRange(selectionStart, selectionEnd);
        show();
      };
    },
  };
}
