import type { SendKey } from "../../../core/panel/pageBehaviour.ts";

/** Whether this key sends what is written. Enter with Ctrl or Cmd always does; Shift+Enter never does. */
export function isSendKey(event: KeyboardEvent, sendKey: SendKey): boolean {
  // While an input method composes, Enter chooses a candidate; some browsers only say so by key code 229.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return false;
  return sendKey === "enter" || event.ctrlKey || event.metaKey;
}

export function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}
