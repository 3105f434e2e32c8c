import { t } from "@vscode/l10n";
import { create, textButton } from "../dom.ts";

export interface MessageEditorOptions {
  readonly text: string;
  isSendKey(event: KeyboardEvent): boolean;
  onSend(text: string): void;
  onCancel(): void;
}

/** Where one of the user's messages is written anew; sending it makes a version of its own. */
export function createMessageEditor({
  text,
  isSendKey,
  onSend,
  onCancel,
}: MessageEditorOptions): HTMLElement {
  const area = create("textarea", {
    "aria-label": t("Edit message"),
    rows: "1",
    dir: "auto",
    class: "message-edit",
  });
  area.value = text;
  const send = (): void => {
    if (area.value.trim() !== "") onSend(area.value);
  };
  area.addEventListener("keydown", (event) => {
    // While an input method composes, Escape takes back what it proposes, and nothing else.
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
  const element = create("div", { class: "message-editor" }, area, buttons);
  requestAnimationFrame(() => {
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  });
  return element;
}
