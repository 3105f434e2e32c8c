import { t } from "@vscode/l10n";
import { isImageData } from "../../core/kernel/images.ts";
import type { LoadedImage } from "../../core/kernel/images.ts";
import { create } from "./dom.ts";
import type { Host } from "./host.ts";

/** Images from other hosts that the user loads one by one. The extension host fetches them, because the page can't. */
export class PageImages {
  readonly #host: Host;
  /** Waiting placeholders by image URL. */
  readonly #waiting = new Map<string, Set<HTMLElement>>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Requests the image for the placeholder that contains this button. */
  load(button: HTMLElement): void {
    const url = button.dataset["image"] ?? "";
    const placeholder = button.closest<HTMLElement>(".linked-image");
    if (placeholder === null || placeholder.ariaBusy === "true") return;
    placeholder.ariaBusy = "true";
    placeholder.querySelector(".linked-image-error")?.remove();
    button.textContent = t("Loading…");
    const placeholders = this.#waiting.get(url) ?? new Set();
    this.#waiting.set(url, placeholders.add(placeholder));
    if (placeholders.size === 1) this.#host.post({ type: "loadImage", url });
  }

  /** Handles the host's response: either the image or a failure. */
  receive(url: string, image: LoadedImage): void {
    for (const placeholder of this.#waiting.get(url) ?? []) {
      placeholder.ariaBusy = "false";
      if ("dataUrl" in image && isImageData(image.dataUrl)) showImage(placeholder, image.dataUrl);
      else showError(placeholder, "error" in image ? image.error : "");
    }
    this.#waiting.delete(url);
  }
}

function showImage(placeholder: HTMLElement, src: string): void {
  const alt = placeholder.querySelector(".linked-image-name")?.textContent ?? "";
  const image = create("img", { class: "linked-image-shown", src, alt, tabindex: "-1" });
  const hadFocus = placeholder.contains(document.activeElement);
  placeholder.classList.add("loaded");
  placeholder.replaceChildren(image);
  if (hadFocus) image.focus();
}

function showError(placeholder: HTMLElement, words: string): void {
  const button = placeholder.querySelector("button");
  if (button !== null) button.textContent = t("Load Once");
  placeholder.append(create("span", { class: "linked-image-error", role: "alert" }, words));
}
