import { t } from "@vscode/l10n";
import { create, icon } from "../../kit/dom.ts";
import { bringsFiles } from "./givenFiles.ts";

/** Takes drops anywhere on the page, and says so while something is dragged over it. */
export function createDropZone(onDrop: (data: DataTransfer) => void): HTMLElement {
  const words = create("p", {}, icon("attach"), create("span", {}, t("Drop files to attach them")));
  const hint = create("div", { class: "drop-hint", "aria-hidden": "true" }, words);
  hint.hidden = true;
  const over = (event: DragEvent): void => {
    if (event.dataTransfer === null || !bringsFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    hint.hidden = false;
  };
  document.addEventListener("dragenter", over);
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", (event) => {
    // Without a related element it has left the page, not just one element for another.
    if (event.relatedTarget === null) hint.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    hint.hidden = true;
    if (event.dataTransfer === null || !bringsFiles(event.dataTransfer)) return;
    event.preventDefault();
    onDrop(event.dataTransfer);
  });
  return hint;
}
