import { t } from "@vscode/l10n";
import type { Announcements } from "../../core/panel/pageBehaviour.ts";
import { create } from "./dom.ts";

/** Milliseconds for which announcements are gathered, so that a fast response is not many small ones. */
const gatheringTime = 700;
/** UTF-16 units that can be listened to; a listener who is that far behind wants to read the response instead. */
const maxLength = 1500;

/** Announces what happens to screen readers: sentences or blocks of a response, as configured, never single tokens. */
export class LiveRegion {
  readonly element = create("div", { class: "visually-hidden", "aria-live": "polite" });
  mode: Announcements = "sentences";
  #waiting = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  announce(text: string): void {
    const words = text.trim();
    if (words === "" || this.#waiting.length > maxLength) return;
    this.#waiting += `${words}\n`;
    this.#timer ??= setTimeout(() => this.#say(), gatheringTime);
  }

  #say(): void {
    this.element.replaceChildren(create("p", {}, this.#waiting.slice(0, maxLength)));
    this.#waiting = "";
    this.#timer = undefined;
  }
}

/** What is read out for a finished block; code is named, not spelt. */
export function describeBlock(block: Node): string {
  if (!(block instanceof HTMLElement)) return block.textContent ?? "";
  if (!block.matches(".code")) return block.textContent ?? "";
  const language = block.getAttribute("data-language") ?? "";
  return describeCode(language, (block.querySelector("code")?.textContent ?? "").split("\n").length - 1);
}

/** What is spoken in place of code. */
export function describeCode(language: string, lines: number): string {
  if (lines === 1) return language === "" ? t("Code, 1 line.") : t("{0} code, 1 line.", language);
  return language === "" ? t("Code, {0} lines.", lines) : t("{0} code, {1} lines.", language, lines);
}
