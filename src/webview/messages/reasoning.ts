import { t } from "@vscode/l10n";
import { create, icon } from "../dom.ts";
import { GrowingText } from "./growingText.ts";

/** The model's reasoning, folded away; nothing of it is rendered before it is opened. */
export class Reasoning {
  readonly element: HTMLDetailsElement;
  readonly #label = create("span", {}, t("Thinking…"));
  readonly #body = create("div", { class: "markdown reasoning-text" });
  readonly #onOpen: () => void;
  #text = "";
  #shown: GrowingText | undefined;
  #startedAt: number | undefined;
  #isFinished = false;

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

  /** `now` is undefined where the text doesn't come live, so that its time isn't known. */
  append(text: string, now: number | undefined): void {
    if (text === "") return;
    this.#startedAt ??= now;
    this.#text += text;
    this.#shown?.append(text);
    this.element.hidden = false;
  }

  /** The answer itself begins, or ends without one. */
  finish(now: number | undefined): void {
    if (this.#isFinished || this.#text === "") return;
    this.#isFinished = true;
    this.#label.textContent =
      now === undefined || this.#startedAt === undefined
        ? t("Thoughts")
        : t("Thought for {0}", describeTime(now - this.#startedAt));
    this.#shown?.finish();
  }

  render(): void {
    this.#shown?.render();
  }

  #open(): void {
    if (!this.element.open || this.#shown !== undefined) return;
    this.#shown = new GrowingText(this.#body, () => undefined);
    this.#shown.append(this.#text);
    if (this.#isFinished) this.#shown.finish();
    this.#onOpen();
  }
}

function describeTime(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return seconds < 60 ? t("{0} s", seconds) : t("{0} min {1} s", Math.floor(seconds / 60), seconds % 60);
}
