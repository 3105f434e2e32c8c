import type { SendKey } from "../../../core/panel/pageBehavior.ts";

/** Whether this key sends the message. Enter with Ctrl or Cmd always does; Shift+Enter never does. */
export function isSendKey(event: KeyboardEvent, sendKey: SendKey): boolean {
  // While an input method is composing, Enter chooses a candidate. Some browsers report that only by key code 229.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return false;
  return sendKey === "enter" || event.ctrlKey || event.metaKey;
}

export function hasModifier({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey || shiftKey;
}
