import { t } from "@vscode/l10n";
import { create, icon, setHidden } from "../kit/dom.ts";
import { describeTime } from "../kit/times.ts";
import { StreamingText } from "./streamingText.ts";

/** The model's reasoning, initially collapsed. Nothing is rendered before it is opened. */
export class Reasoning {
  readonly element: HTMLDetailsElement;
  readonly #label = create("span", {}, t("Thinking…"));
  readonly #body = create("div", { class: "markdown reasoning-text" });
  readonly #onOpen: () => void;
  #text = "";
  #shown: StreamingText | undefined;
  #startedAt: number | undefined;
  #isFinished = false;
  #time: number | undefined;

  constructor(onOpen: () => void) {
    this.#onOpen = onOpen;
    this.element = create(
      "details",
      { class: "card reasoning" },
      create("summary", {}, icon("chevron-right"), icon("lightbulb"), this.#label),
      this.#body,
    );
    this.element.hidden = true;
    this.element.addEventListener("toggle", () => this.#open());
  }

  get length(): number {
    return this.#text.length;
  }

  /** `now` is undefined if the text isn't received live, so that its duration isn't known. */
  append(text: string, now: number | undefined): void {
    if (text === "") return;
    this.#startedAt ??= now;
    this.#text += text;
    this.#shown?.append(text);
    setHidden(this.element, false);
  }

  /** Called when the response itself starts, or ends without any text. */
  finish(now: number | undefined): void {
    if (this.#isFinished || this.#text === "") return;
    this.#isFinished = true;
    if (now !== undefined && this.#startedAt !== undefined) this.#time ??= now - this.#startedAt;
    this.#showTime();
    this.#shown?.finish();
  }

  /** How long it took, in milliseconds, if the host knows it. Otherwise nothing changes. */
  setTime(milliseconds: number | undefined): void {
    if (milliseconds === undefined) return;
    this.#time = milliseconds;
    if (this.#isFinished) this.#showTime();
  }

  #showTime(): void {
    this.#label.textContent =
      this.#time === undefined ? t("Reasoning") : t("Thought for {0}", describeTime(this.#time));
  }

  /** False if there is more to show in the next frame. */
  render(): boolean {
    return this.#shown?.render() ?? true;
  }

  #open(): void {
    if (!this.element.open || this.#shown !== undefined) return;
    this.#shown = new StreamingText(this.#body, () => undefined);
    this.#shown.append(this.#text);
    if (this.#isFinished) this.#shown.finish();
    this.#onOpen();
  }
}
