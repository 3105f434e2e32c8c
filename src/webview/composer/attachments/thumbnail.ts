import type { PartFacts } from "../../../core/compose/attachments/describePart.ts";
import { fitSize } from "../../../core/compose/attachments/limits.ts";
import type { ImagePart } from "../../../core/conversation/completion.ts";
import { create, icon } from "../../kit/dom.ts";
import { partBlob } from "./base64.ts";
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
export function createThumbnail(part: ImagePart, facts: PartFacts, maxEdge: number): HTMLElement {
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
