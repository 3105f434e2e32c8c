import { t } from "@vscode/l10n";
import { describePart, partName } from "../../../core/compose/attachments/describePart.ts";
import type { PartFacts } from "../../../core/compose/attachments/describePart.ts";
import type { AudioPart, ContentPart, ImagePart } from "../../../core/conversation/completion.ts";
import { contextIcon } from "../../../core/compose/context/contextPart.ts";
import { createLocationLabel } from "../context/contextChip.ts";
import { describeTokens } from "../context/tokenCount.ts";
import { create, icon } from "../../kit/dom.ts";
import type { Attachment } from "./attachment.ts";
import { readFacts } from "./attachment.ts";
import { AudioPlayer } from "./audioPlayer.ts";
import { showPreview } from "./previewDialog.ts";
import { createThumbnail } from "./thumbnail.ts";

// What shows and what reads attachments shares most of its code, so both are in one file of the page (see
// `loadAttachmentViews`).
export { readAttachment } from "./readAttachment.ts";

/** CSS pixels of the longest edge of an image in a message. */
const imageEdge = 220;

/** Longest edge of an image among the attachments of the composer, in CSS pixels. */
const thumbnailEdge = 44;

/** The attachments sent with a message: images that open on click, audio players, and texts by name. */
export function createMessageAttachments(parts: readonly ContentPart[]): HTMLElement {
  const items = parts.map((part) => create("li", {}, createItem({ part, facts: readFacts(part) })));
  return create("ul", { class: "sent-attachments", role: "list", "aria-label": t("Attachments") }, ...items);
}

/** An image or audio that will be sent: an image that opens on click, or an audio player. */
export function createTrayMedia(
  part: ImagePart | AudioPart,
  facts: PartFacts = readFacts(part),
): HTMLElement {
  if (part.type === "audio") return new AudioPlayer({ part, facts }).element;
  const [name, words] = [partName(part), describePart(part, facts)];
  return openButton(
    { part, facts },
    "tray-open",
    t("Enlarge {0}, {1}", name, words),
    createThumbnail(part, facts, thumbnailEdge),
    create(
      "span",
      { class: "tray-words" },
      create("span", { class: "attachment-name", dir: "auto" }, name),
      " ",
      create("span", { class: "attachment-facts" }, words),
    ),
  );
}

function createItem(attachment: Attachment): HTMLElement {
  const { part, facts } = attachment;
  if (part.type === "audio") return new AudioPlayer({ part, facts }).element;
  const words = part.type === "text" ? describeTokens(part.text) : describePart(part, facts);
  const name = partName(part);
  return part.type === "image"
    ? openButton(
        attachment,
        "sent-picture",
        t("Enlarge {0}, {1}", name, words),
        createThumbnail(part, facts, imageEdge),
      )
    : openButton(
        attachment,
        "sent-text",
        t("Show {0}, {1}", name, words),
        icon(contextIcon(part.text)),
        createLocationLabel(name),
        " ",
        create("span", { class: "attachment-facts" }, words),
      );
}

function openButton(
  attachment: Attachment,
  className: string,
  label: string,
  ...children: readonly (Node | string)[]
): HTMLElement {
  const button = create(
    "button",
    { type: "button", class: className, title: label, "aria-label": label },
    ...children,
  );
  button.addEventListener("click", () => showPreview(attachment));
  return button;
}
