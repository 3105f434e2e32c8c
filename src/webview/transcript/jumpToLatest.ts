import { t } from "@vscode/l10n";
import { create, icon } from "../kit/dom.ts";

/** A button that scrolls to new text below the visible part. It is hidden until there is any. */
export function createNewTextButton(onClick: () => void): HTMLElement {
  const words = t("Jump to Latest");
  const button = create("button", { type: "button", class: "new-text" }, icon("arrow-down"), words);
  button.addEventListener("click", onClick);
  button.hidden = true;
  return button;
}
