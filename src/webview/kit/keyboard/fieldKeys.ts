import { t } from "@vscode/l10n";

/** Whether the page is shown on macOS, where Cmd takes the place of Ctrl. */
const isMac = navigator.platform.startsWith("Mac");

const macSymbols = { Ctrl: "⌘", Shift: "⇧", Alt: "⌥" } as const;

/** The name of Enter with another key, as VS Code shows it on this machine. On macOS, Cmd takes the place of Ctrl. */
export function enterWith(modifier: keyof typeof macSymbols): string {
  if (isMac) return `${macSymbols[modifier]}${t("Enter")}`;
  return { Ctrl: t("Ctrl+Enter"), Shift: t("Shift+Enter"), Alt: t("Alt+Enter") }[modifier];
}

/** The text fields of a page. */
const field = "textarea, input:not([type=checkbox], [type=radio], [type=button], [type=range])";

/** Keys that move or edit in every text field of macOS, together with Ctrl. */
const macTextKeys = "abdefhknoptvy";

/**
 * Keeps keys that belong to the page from VS Code, which otherwise runs its own command for each of them: Undo in the
 * composer would also undo a change in the active editor. Keys that the page has handled stop here, and so do those of
 * the text field with the focus. Copying and pasting stay with VS Code, which passes them back.
 * Has to be called after all other listeners have been added to the document.
 */
export function keepPageKeys(): void {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    const isInField = target.matches(field);
    if (isInField && !event.defaultPrevented && !event.isComposing) edit(event, target);
    const isClosing = event.key === "Escape" && target.matches("dialog *");
    if (event.defaultPrevented || isClosing || (isInField && isTextKey(event))) event.stopPropagation();
  });
}

/** The browser's own commands aren't used, because the menu of macOS would pass these keys to VS Code as well. */
function edit(event: KeyboardEvent, target: HTMLElement): void {
  const command = editCommand(event);
  if (command === undefined) return;
  event.preventDefault();
  document.execCommand(command);
  // Once nothing is left to undo in this field, the browser goes on in another one and focuses it.
  if (document.activeElement === target) return;
  document.execCommand(command === "undo" ? "redo" : "undo");
  target.focus();
}

/** The command of the browser's text fields that this shortcut stands for; undefined for all other keys. */
export function editCommand(event: KeyboardEvent): "undo" | "redo" | "selectAll" | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const isCommand = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (!isCommand || altKey) return undefined;
  switch (key.toLowerCase()) {
    case "z":
      return shiftKey ? "redo" : "undo";
    case "y":
      return isMac || shiftKey ? undefined : "redo";
    case "a":
      return shiftKey ? undefined : "selectAll";
    default:
      return undefined;
  }
}

/** Whether this is the shortcut for finding. On macOS, Ctrl+F moves the cursor in a text field. */
export function isFindKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === "f" && (isMac ? metaKey : ctrlKey) && !shiftKey && !altKey;
}

/**
 * Whether the key types a character. AltGr is reported as Ctrl and Alt. On macOS, Option types characters of its own.
 */
export function isCharacter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && !metaKey && (isMac ? !ctrlKey : ctrlKey === altKey);
}

function isTextKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return isMac && ctrlKey && !metaKey && !altKey && macTextKeys.includes(key.toLowerCase());
}
