import { t } from "@vscode/l10n";
import { create, textButton } from "../kit/dom.ts";

export interface MessageEditorOptions {
  readonly text: string;
  isSendKey(event: KeyboardEvent): boolean;
  onSend(text: string): void;
  onCancel(): void;
}

export interface MessageEditor {
  readonly element: HTMLElement;
  /** To be called once the element has its place. */
  focus(): void;
}

/** Where one of the user's messages is written anew; sending it makes a version of its own. */
export function createMessageEditor({
  text,
  isSendKey,
  onSend,
  onCancel,
}: MessageEditorOptions): MessageEditor {
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
  return {
    element: create("div", { class: "message-editor" }, area, buttons),
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
    },
  };
}
