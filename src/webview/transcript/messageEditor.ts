import { t } from "@vscode/l10n";
import { pastedPart } from "../../core/compose/context/pastedText.ts";
import type { ContentPart } from "../../core/conversation/completion.ts";
import { AttachmentTray } from "../composer/attachments/attachmentTray.ts";
import { attachLongText, longestInField } from "../composer/longText.ts";
import { create, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

export interface MessageEditorOptions {
  readonly host: Host;
  readonly text: string;
  isSendKey(event: KeyboardEvent): boolean;
  /** @param added Long texts that became attachments. */
  onSend(text: string, added: readonly ContentPart[]): void;
  onCancel(): void;
}

export interface MessageEditor {
  readonly element: HTMLElement;
  /** Call this once the element has been placed. */
  focus(): void;
}

/** The editor for one of the user's messages. Sending it creates another version of the message. */
export function createMessageEditor(options: MessageEditorOptions): MessageEditor {
  const { host, text, isSendKey, onSend, onCancel } = options;
  const area = create("textarea", {
    "aria-label": t("Edit Message"),
    rows: "1",
    dir: "auto",
    class: "message-edit",
  });
  const tray = new AttachmentTray(
    host,
    () => undefined,
    () => area.focus(),
    (pasted) => longText.insert(pasted),
  );
  const attach = (long: string): (() => void) => {
    const part = pastedPart(long);
    tray.add(part);
    return () => tray.remove(part);
  };
  const longText = attachLongText(area, attach);
  // A text field with a long text would block the page at each keystroke.
  if (text.length > longestInField) attach(text);
  else area.value = text;
  const send = (): void => {
    if (area.value.trim() !== "" || tray.parts.length > 0) onSend(area.value, tray.parts);
  };
  area.addEventListener("keydown", (event) => {
    // While an input method is composing, Escape only discards its suggestion.
    if (event.key === "Escape" && !event.isComposing) {
      event.stopPropagation();
      onCancel();
    } else if (isSendKey(event)) {
      event.preventDefault();
      send();
    }
  });
  const buttons = create(
    "div",
    { class: "buttons" },
    textButton(t("Send"), send, "primary"),
    textButton(t("Cancel"), onCancel),
  );
  return {
    element: create("div", { class: "message-editor" }, tray.element, area, buttons),
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
    },
  };
}
