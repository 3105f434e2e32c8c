import { t } from "@vscode/l10n";
import { describePart, partName } from "../../../core/compose/attachments/describePart.ts";
import type { ContentPart } from "../../../core/conversation/completion.ts";
import { create, iconButton } from "../../kit/dom.ts";
import type { Attachment } from "./attachment.ts";
import { dataUrl } from "./base64.ts";

/** Shows an image or an attached text as large as the panel. Escape, the button or a click outside closes it. */
export function showPreview({ part, facts }: Attachment): void {
  const name = partName(part);
  const dialog = create("dialog", { class: "preview", "aria-label": name });
  dialog.append(
    create(
      "header",
      { class: "preview-head" },
      create("strong", { class: "preview-name", dir: "auto" }, name),
      create("span", { class: "preview-facts" }, describePart(part, facts)),
      iconButton("close", t("Close"), () => dialog.close()),
    ),
    createContent(part),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  // The browser restores the focus when the dialog closes.
  dialog.showModal();
}

function createContent(part: ContentPart): HTMLElement {
  if (part.type === "image") {
    return create("img", {
      class: "preview-picture",
      alt: partName(part),
      draggable: "false",
      src: dataUrl(part),
    });
  }
  // Audio is played in place and has no preview.
  const text = part.type === "audio" ? "" : part.text;
  return create("pre", { class: "preview-text", tabindex: "0", dir: "auto" }, text);
}
