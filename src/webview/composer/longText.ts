import { escapeInvisible } from "../../core/kernel/foreignText.ts";
import { isLongText } from "../../core/compose/context/pastedText.ts";
import { editCommand } from "../kit/keyboard/fieldKeys.ts";
import { replaceText } from "./context/replaceText.ts";

/**
 * Maximum length of a draft or message shown in a text field, in UTF-16 code units, because the user may have written
 * it.
 */
export const longestInField = 100_000;

/** What happens to text that is inserted without being typed. */
interface Insertion {
  /** Attaches a text and returns a function that undoes this. */
  readonly attach: (text: string) => () => void;
  /** Text has been put into the field. */
  readonly onPaste: (text: string) => void;
}

/** Pasted text that the user wants in the field anyway. */
export interface LongText {
  insert(text: string): void;
}

/**
 * Attaches long text that is pasted, dropped or otherwise inserted into a text field, because the field would block the
 * page for seconds, and again at each keystroke. Undo reverts this, and Redo repeats it, as long as nothing else was typed.
 * Shorter text is shown with the characters that a reader doesn't see, because a person who typed one knows that it is there.
 */
export function attachLongText(field: HTMLTextAreaElement, { attach, onPaste }: Insertion): LongText {
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
    if (event.defaultPrevented || !isForeign(event)) return;
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (text !== copied) onPaste(text);
  });
  // What the user moves within the field isn't new in it.
  let copied: string | undefined;
  for (const type of ["copy", "cut"]) {
    field.addEventListener(type, () => {
      copied = field.value.slice(field.selectionStart, field.selectionEnd);
    });
  }
  field.addEventListener("input", (event) => {
    takeBack = putBack = undefined;
    const shown =
      event instanceof InputEvent && isForeign(event) ? escapeInvisible(field.value) : field.value;
    if (shown !== field.value) replaceText(field, 0, field.value.length, shown);
  });
  field.addEventListener("keydown", (event) => {
    const command = editCommand(event);
    const step = command === "undo" ? takeBack : command === "redo" ? putBack : undefined;
    if (step === undefined) return;
    event.preventDefault();
    takeBack = putBack = undefined;
    step();
  });
  return {
    insert(given) {
      const text = escapeInvisible(given);
      onPaste(text);
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

function isForeign({ inputType }: InputEvent): boolean {
  return /^insertFrom(?:Paste|Drop|Yank)/.test(inputType);
}
