import { t } from "@vscode/l10n";
import type { Announcements } from "../../core/panel/settings/chatPreferences.ts";
import { create } from "./dom.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Milliseconds during which announcements are collected, so that a fast response isn't split into many small ones. */
const gatheringTime = 700;
/**
 * Maximum length to announce at once, in UTF-16 code units, of responses and of events. A user who is that far behind
 * would rather read the response.
 */
const maxLength = 1500;

/** Announces events to screen readers, and responses by sentences or blocks, as configured, never by single tokens. */
export class LiveRegion {
  readonly element = create("div", { class: "visually-hidden", "aria-live": "polite" });
  mode: Announcements = "sentences";
  #waiting = "";
  /** How much more of responses and of events is announced with what is waiting. */
  readonly #room = { response: maxLength, event: maxLength };
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Whether more of a response is announced at the moment. A fast one has more text than anyone can listen to. */
  get hasRoom(): boolean {
    return this.#room.response > 0;
  }

  /** Announces an event, such as an error or the end of a response, even if a response leaves out text at the moment. */
  announce(text: string): void {
    this.#add(text, "event");
  }

  /** Announces a part of a response, or leaves it out if there is no room. */
  announcePart(text: string): void {
    this.#add(text, "response");
  }

  #add(text: string, kind: "response" | "event"): void {
    const words = text.trim().slice(0, this.#room[kind]);
    if (words === "") return;
    this.#room[kind] = Math.max(0, this.#room[kind] - words.length - 1);
    this.#waiting += `${words}\n`;
    this.#timer ??= setTimeout(() => this.#say(), gatheringTime);
  }

  #say(): void {
    this.element.replaceChildren(create("p", {}, this.#waiting));
    this.#waiting = "";
    this.#room.response = this.#room.event = maxLength;
    this.#timer = undefined;
  }
}

/** Elements whose text doesn't continue the text before them, such as that of the previous list item. */
const separateText = "br, p, li, blockquote, h1, h2, h3, h4, h5, h6, th, td, .code, .math-block";

/** The announcement for a finished block, or for the beginning of a long one. Code is described, not read out. */
export function describeBlock(block: Node): string {
  let words = "";
  const add = (node: Node): void => {
    if (node instanceof Text) words += node.data;
    if (!(node instanceof Element) || words.length > maxLength) return;
    if (node.matches(separateText)) words += "\n";
    if (node.matches(".code")) words += `${describeCodeBlock(node)}\n`;
    else for (const child of node.childNodes) add(child);
  };
  add(block);
  return words;
}

function describeCodeBlock(block: Element): string {
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
