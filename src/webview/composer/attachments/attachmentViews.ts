import { t } from "@vscode/l10n";
import { describePart, partName } from "../../../core/compose/attachments/describePart.ts";
import type { PartFacts } from "../../../core/compose/attachments/describePart.ts";
import { fitSize } from "../../../core/compose/attachments/limits.ts";
import { contextIcon } from "../../../core/compose/context/contextPart.ts";
import type { AudioPart, ContentPart, ImagePart } from "../../../core/conversation/completion.ts";
import { create, icon, iconButton } from "../../kit/dom.ts";
import { createLocationLabel, describeTokens } from "../context/contextChip.ts";
import { readPartFacts } from "./attachment.ts";
import type { Attachment } from "./attachment.ts";
import { AudioPlayer } from "./audioPlayer.ts";
import { dataUrl, partBlob } from "./base64.ts";

const callbacks = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** Calls back once when the element is visible or about to become visible. */
function whenNear(element: Element, onNear: () => void): void {
  observer ??= new IntersectionObserver(onChange, { rootMargin: "600px 0px" });
  callbacks.set(element, onNear);
  observer.observe(element);
}

function onChange(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer?.unobserve(target);
    callbacks.get(target)?.();
    callbacks.delete(target);
  }
}

/**
 * A small still image, purely decorative: its container has the accessible name. The full image is decoded just once,
 * when this comes near the viewport, and only the thumbnail stays in memory. `maxEdge` is in CSS pixels.
 */
function createThumbnail(part: ImagePart, facts: PartFacts, maxEdge: number): HTMLElement {
  const size = fitSize(facts.width ?? maxEdge, facts.height ?? maxEdge, maxEdge);
  const image = create("img", {
    class: "thumbnail",
    alt: "",
    draggable: "false",
    width: String(size.width),
    height: String(size.height),
  });
  const box = create("span", { class: "thumbnail-box" }, image);
  whenNear(box, () => {
    shrink(part, size).then(
      (blob) => showBlob(image, blob),
      () => box.replaceChildren(icon("file-media")),
    );
  });
  return box;
}

/** Shows the image and revokes its URL, which would otherwise keep the bytes for the lifetime of the page. */
function showBlob(image: HTMLImageElement, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const release = (): void => URL.revokeObjectURL(url);
  image.addEventListener("load", release, { once: true });
  image.addEventListener("error", release, { once: true });
  image.src = url;
}

async function shrink(
  part: ImagePart,
  size: { readonly width: number; readonly height: number },
): Promise<Blob> {
  const scale = Math.min(2, Math.max(1, devicePixelRatio));
  const [width, height] = [Math.round(size.width * scale), Math.round(size.height * scale)];
  const bitmap = await createImageBitmap(partBlob(part), {
    resizeWidth: width,
    resizeHeight: height,
    resizeQuality: "medium",
  });
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
  return await canvas.convertToBlob({ type: "image/webp", quality: 0.85 });
}

// The code that shows attachments and the code that reads them are mostly the same, so both are in one file of the page
// (see `loadAttachmentViews`).
export { readAttachment } from "./readAttachment.ts";

/** CSS pixels of the longest edge of an image in a message. */
const imageEdge = 220;

/** Longest edge of an image among the attachments of the composer, in CSS pixels. */
const thumbnailEdge = 44;

/** The attachments sent with a message: images that open on click, audio players, and texts by name. */
export function createAttachmentList(parts: readonly ContentPart[]): HTMLElement {
  const items = parts.map((part) => create("li", {}, createItem({ part, facts: readPartFacts(part) })));
  return create("ul", { class: "sent-attachments", role: "list", "aria-label": t("Attachments") }, ...items);
}

/** An image or audio that will be sent: an image that opens on click, or an audio player. */
export function createTrayMedia(
  part: ImagePart | AudioPart,
  facts: PartFacts = readPartFacts(part),
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
        "sent-image",
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

/** Shows an image or an attached text as large as the panel. Escape, the button or a click outside closes it. */
function showPreview({ part, facts }: Attachment): void {
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
      class: "preview-image",
      alt: partName(part),
      draggable: "false",
      src: dataUrl(part),
    });
  }
  // Audio is played in place and has no preview.
  const text = part.type === "audio" ? "" : part.text;
  return create("pre", { class: "preview-text", tabindex: "0", dir: "auto" }, text);
}
