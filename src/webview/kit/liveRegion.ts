import { t } from "@vscode/l10n";
import type { Announcements } from "../../core/panel/settings/chatPreferences.ts";
import { create } from "./dom.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Milliseconds during which announcements are collected, so that a fast response isn't split into many small ones. */
const gatheringTime = 700;
/** Maximum length to announce, in UTF-16 code units. A user who is that far behind would rather read the response. */
const maxLength = 1500;

/** Announces events to screen readers: sentences or blocks of a response, as configured, never single tokens. */
export class LiveRegion {
  readonly element = create("div", { class: "visually-hidden", "aria-live": "polite" });
  mode: Announcements = "sentences";
  #waiting = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Whether anything else is announced at the moment. A fast response has more text than anyone can listen to. */
  get hasRoom(): boolean {
    return this.#waiting.length <= maxLength;
  }

  announce(text: string): void {
    const words = text.trim();
    if (words === "" || !this.hasRoom) return;
    this.#waiting += `${words}\n`;
    this.#timer ??= setTimeout(() => this.#say(), gatheringTime);
  }

  #say(): void {
    this.element.replaceChildren(create("p", {}, this.#waiting.slice(0, maxLength)));
    this.#waiting = "";
    this.#timer = undefined;
  }
}

/** The announcement for a finished block. Code is described, not read out. */
export function describeBlock(block: Node): string {
  if (!(block instanceof HTMLElement)) return block.textContent ?? "";
  if (!block.matches(".code")) return block.textContent ?? "";
  const language = block.getAttribute("data-language") ?? "";
  return describeCode(language, (block.querySelector("code")?.textContent ?? "").split("\n").length - 1);
}

/** What is announced in place of code. */
export function describeCode(language: string, lines: number): string {
  if (lines === 1) return language === "" ? t("Code, 1 line.") : t("{0} code, 1 line.", language);
  return language === ""
    ? t("Code, {0} lines.", formatNumber(lines))
    : t("{0} code, {1} lines.", language, formatNumber(lines));
}
