import type { Outgoing } from "../../../core/compose/send/outgoing.ts";
import { t } from "@vscode/l10n";
import type { ContentPart } from "../../../core/conversation/completion.ts";
import type { MeterReading } from "../../../core/compose/meter/conversationMeter.ts";
import {
  addTokens,
  countMessage,
  countPart,
  noTokens,
  scaleTokens,
} from "../../../core/conversation/countTokens.ts";
import type { TokenParts } from "../../../core/conversation/countTokens.ts";
import { meterMessages } from "../../../core/compose/meter/conversationMeter.ts";
import { estimateLongText } from "../context/contextChip.ts";
import { create, factList, icon } from "../../kit/dom.ts";

/** Milliseconds without a keystroke before the draft is counted, because typing has priority. */
const quietTime = 250;

/** How much of the model's context a message would take. A click shows the parts. */
export class MeterView {
  readonly button = create("button", { type: "button", class: "meter-button", "aria-expanded": "false" });
  /** All parts, shown above the draft. */
  readonly details = create("div", { class: "meter-details", role: "group" });
  readonly #words = create("span");
  readonly #bar = create("progress", { class: "meter-bar", "aria-hidden": "true", max: "100" });
  readonly #warning = icon("warning");
  readonly #attachmentCounts = new WeakMap<ContentPart, TokenParts>();
  #reading: MeterReading | undefined;
  #writing: Outgoing = { text: "", attachments: [] };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.button.append(this.#warning, this.#bar, this.#words);
    this.button.addEventListener("click", () => this.#setOpen(this.details.hidden !== false));
    this.details.setAttribute("aria-label", t("Tokens in the next request"));
    this.details.hidden = true;
    this.#show();
  }

  showReading(reading: MeterReading): void {
    this.#reading = reading;
    this.#show();
  }

  /** Shows the count for the composer's current content. Costs nothing until the user pauses. */
  showWriting(writing: Outgoing): void {
    this.#writing = writing;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#show(), quietTime);
  }

  /** Hides the parts; false if they are already hidden. */
  close(): boolean {
    if (this.details.hidden) return false;
    const hadFocus = this.details.contains(document.activeElement);
    this.#setOpen(false);
    if (hadFocus) this.button.focus();
    return true;
  }

  #show(): void {
    const reading = this.#reading;
    this.button.hidden = reading === undefined;
    if (reading === undefined) return;
    const { label, words, share, isTooLong, rows } = meterMessages(this.#count(reading), reading);
    this.#words.textContent = words;
    this.#bar.hidden = share === undefined;
    if (share !== undefined) this.#bar.value = Math.min(100, share * 100);
    this.#warning.hidden = !isTooLong;
    this.button.classList.toggle("too-long", isTooLong);
    // Voice control users say the visible text, so it has to be part of the name.
    this.button.setAttribute("aria-label", `${label}; ${words}`);
    this.button.title = label;
    this.details.replaceChildren(create("p", {}, label), factList(rows));
  }

  #count(reading: MeterReading): TokenParts {
    const { text, attachments } = this.#writing;
    const own = countMessage({ text, attachments: [] }, "draft", estimateLongText);
    const drafted = text === "" ? noTokens : own;
    const attached = attachments.map((part) => this.#countAttachment(part));
    return addTokens(reading.parts, scaleTokens(attached.reduce(addTokens, drafted), reading.factor));
  }

  #countAttachment(part: ContentPart): TokenParts {
    const known = this.#attachmentCounts.get(part);
    if (known !== undefined) return known;
    const counted = countPart(part, estimateLongText);
    this.#attachmentCounts.set(part, counted);
    return counted;
  }

  #setOpen(isOpen: boolean): void {
    this.details.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
  }
}
