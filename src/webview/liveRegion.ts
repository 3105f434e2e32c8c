import { create } from "./dom.ts";

/** More announcements than a listener can want to catch up with. */
const maxWaiting = 8;

/** Tells screen readers what happens: whole blocks of an answer, never single tokens. */
export class LiveRegion {
  readonly element = create("div", { class: "visually-hidden", "aria-live": "polite" });

  announce(text: string): void {
    const words = text.trim();
    if (words === "") return;
    this.element.append(create("p", {}, words));
    while (this.element.childElementCount > maxWaiting) this.element.firstElementChild?.remove();
  }
}

/** What is read out for a finished block; code is named, not spelt. */
export function describeBlock(block: Node): string {
  if (!(block instanceof HTMLElement)) return block.textContent ?? "";
  if (!block.matches(".code")) return block.textContent ?? "";
  const language = block.getAttribute("data-language") ?? "";
  const lines = (block.querySelector("code")?.textContent ?? "").split("\n").length - 1;
  return `${language === "" ? "Code" : `${language} code`}, ${lines} lines.`;
}
