import { isLongText } from "../../core/compose/context/pastedText.ts";
import { editCommand } from "../kit/keyboard/fieldKeys.ts";
import { replaceText } from "./context/replaceText.ts";

/**
 * Maximum length of a draft or message shown in a text field, in UTF-16 code units, because the user may have written
 * it.
 */
export const longestInField = 100_000;

/** Attaches a text and returns a function that undoes this. */
type Attach = (text: string) => () => void;

/** Pasted text that the user wants in the field anyway. */
export interface LongText {
  insert(text: string): void;
}

/**
 * Attaches long text that is pasted, dropped or otherwise inserted into a text field, because the field would block the
 * page for seconds, and again at each keystroke. Undo reverts this, and Redo repeats it, as long as nothing else was typed.
 */
export function attachLongText(field: HTMLTextAreaElement, attach: Attach): LongText {
  let takeBack: (() => void) | undefined;
  let putBack: (() => void) | undefined;
  const add = (text: string): void => {
    const remove = attach(text);
    putBack = undefined;
    takeBack = () => {
      remove();
      putBack = () => add(text);
    };
  };
  const take = (event: Event, text: string): void => {
    if (!isLongText(text)) return;
    event.preventDefault();
    add(text);
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
  field.addEventListener("input", () => (takeBack = putBack = undefined));
  field.addEventListener("keydown", (event) => {
    const command = editCommand(event);
    const step = command === "undo" ? takeBack : command === "redo" ? putBack : undefined;
    if (step === undefined) return;
    event.preventDefault();
    takeBack = putBack = undefined;
    step();
  });
  return {
    insert(text) {
      const { value, selectionStart, selectionEnd } = field;
      if (!isLongText(text)) return replaceText(field, selectionStart, selectionEnd, text);
      // The browser's own way, which supports Undo, takes 15 seconds for two thousand lines.
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
