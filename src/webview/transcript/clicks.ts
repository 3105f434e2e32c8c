import type { Host } from "../kit/host.ts";
import type { PageImages } from "../kit/images.ts";
import { isAllowedLink } from "../markdown/links.ts";
import { requestCodeAction } from "./code/codeActions.ts";

/** Milliseconds for which a copy button shows that it has copied. */
const copiedTime = 1500;

/**
 * Handles all clicks inside messages: a link is sent to the host (VS Code would otherwise open it itself), and a copy
 * button copies its code.
 */
export function handleClicks(root: HTMLElement, host: Host, images: PageImages): void {
  const onClick = (event: Event): void => {
    const target = event.target instanceof Element ? event.target : undefined;
    const link = target?.closest("a");
    if (link) {
      event.preventDefault();
      event.stopPropagation();
      const href = link.dataset["file"] ?? link.getAttribute("href") ?? "";
      if (link.dataset["file"] !== undefined || isAllowedLink(href)) host.post({ type: "openLink", href });
      return;
    }
    const button = target?.closest<HTMLElement>("[data-copy]");
    if (event.type === "click" && button) copyFrom(button, host);
    const footnote = target?.closest<HTMLElement>(".footnote-link");
    if (event.type === "click" && footnote) followFootnote(footnote);
    const image = target?.closest<HTMLElement>("[data-image]");
    if (event.type === "click" && image) images.load(image);
    const action = target?.closest<HTMLElement>("[data-code]");
    if (event.type === "click" && action) requestCodeAction(action, host);
  };
  root.addEventListener("click", onClick, { capture: true });
  root.addEventListener("auxclick", onClick, { capture: true });
  // Dragging a link would be another way to leave the page.
  root.addEventListener("dragstart", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) event.preventDefault();
  });
}

function copyFrom(button: HTMLElement, host: Host): void {
  if (button.dataset["copy"] === "code") {
    host.post({ type: "copy", text: button.closest(".code")?.querySelector("code")?.textContent ?? "" });
  }
  const { classList } = button.querySelector(".codicon") ?? button;
  classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => classList.replace("codicon-check", "codicon-copy"), copiedTime);
}

/** Moves from a footnote's mark to the note, and from the note back to its first mark. */
function followFootnote(button: HTMLElement): void {
  const root = button.closest(".markdown");
  const { footnoteRef, footnoteBack } = button.dataset;
  const all = [...(root?.querySelectorAll<HTMLElement>("[data-footnote], [data-footnote-ref]") ?? [])];
  const target = all.find(({ dataset }) =>
    footnoteRef === undefined
      ? isSame(dataset["footnoteRef"], footnoteBack)
      : isSame(dataset["footnote"], footnoteRef),
  );
  target?.scrollIntoView({ block: "nearest" });
  target?.focus({ preventScroll: true });
}

/** Labels are case-insensitive. */
function isSame(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a.toUpperCase() === b.toUpperCase();
}
