import { t } from "@vscode/l10n";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { MessageChange } from "../../../core/conversation/messageDetails.ts";
import { describeProgress } from "../../../core/responses/compare/progress.ts";
import { create, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { LiveRegion } from "../../kit/liveRegion.ts";
import type { MessageView } from "../messageView.ts";

/** One of several responses, below a header that stays visible and contains its times and actions. */
class CompareColumn {
  readonly element = create("div", { class: "compare-column", role: "group" });
  readonly chooseButton: HTMLElement;
  readonly #view: MessageView;
  readonly #times = create("p", { class: "compare-times" });
  readonly #stop: HTMLElement;
  readonly #beganAt = performance.now();
  #firstMs: number | undefined;
  #change: MessageChange;

  constructor(message: Message, view: MessageView, host: Host) {
    const { id, model = "" } = message;
    this.#view = view;
    this.#change = message;
    this.chooseButton = textButton(t("Continue with This Response"), () =>
      host.post({ type: "messageAction", action: "selectVersion", messageId: id }),
    );
    this.chooseButton.setAttribute("aria-label", t("Continue with This Response: {0}", model));
    this.#stop = textButton(t("Stop"), () => host.post({ type: "stop", messageId: id }));
    this.#stop.setAttribute("aria-label", t("Stop {0}", model));
    this.element.setAttribute("aria-label", model);
    this.element.append(
      create(
        "header",
        { class: "compare-column-head" },
        create("h2", { class: "compare-model", dir: "auto", title: model }, model),
        this.#times,
        this.chooseButton,
        this.#stop,
      ),
      view.element,
    );
    this.tick();
    this.#showStatus();
  }

  get isStreaming(): boolean {
    return this.#change.status === "streaming";
  }

  change(change: MessageChange): void {
    this.#change = change;
    this.tick();
    this.#showStatus();
  }

  /** Called when more of the response has been received. */
  grown(): void {
    if (this.#firstMs !== undefined) return;
    this.#firstMs = performance.now() - this.#beganAt;
    this.tick();
  }

  /** Shows the current times. */
  tick(): void {
    const { status, timing, usage } = this.#change;
    const words = describeProgress({
      status,
      sinceMs: performance.now() - this.#beganAt,
      length: this.#view.textLength + this.#view.reasoningLength,
      ...(this.#firstMs === undefined ? {} : { firstMs: this.#firstMs }),
      ...(timing === undefined ? {} : { timing }),
      ...(usage === undefined ? {} : { usage }),
    });
    if (this.#times.textContent !== words) this.#times.textContent = words;
  }

  #showStatus(): void {
    // A focused button isn't removed, so that the user's position isn't lost.
    if (!this.isStreaming && this.#stop === document.activeElement) this.chooseButton.focus();
    this.#stop.hidden = !this.isStreaming;
  }
}

/** Milliseconds between two updates of the times while responses are streaming. */
const tickMs = 500;

/** The responses of several models to one message, side by side. One of them is chosen to continue with. */
export class Comparison {
  readonly element = create("section", { class: "comparison" });
  readonly #host: Host;
  readonly #liveRegion: LiveRegion;
  readonly #columns = new Map<string, CompareColumn>();
  readonly #row = create("div", { class: "compare-row" });
  readonly #words = create("p", { class: "compare-words" });
  readonly #stopAll: HTMLElement;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: Host, liveRegion: LiveRegion) {
    this.#host = host;
    this.#liveRegion = liveRegion;
    this.#stopAll = textButton(t("Stop All"), () => host.post({ type: "stop" }));
    this.element.append(create("div", { class: "compare-head" }, this.#words, this.#stopAll), this.#row);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  has(messageId: string): boolean {
    return this.#columns.has(messageId);
  }

  /**
   * Shows these responses, each with its view. An empty list means that nothing is being compared.
   * @returns Whether the focus was inside and has been lost.
   */
  show(responses: readonly (readonly [Message, MessageView])[]): boolean {
    const ids = responses.map(([{ id }]) => id);
    const isSame = ids.length === this.#columns.size && ids.every((id) => this.has(id));
    if (
      isSame &&
      responses.every(
        ([{ id }, view]) => view.element.closest(".compare-column") === this.#columns.get(id)?.element,
      )
    ) {
      for (const [message] of responses) this.change(message.id, message);
      return false;
    }
    const hadFocus = this.element.contains(document.activeElement);
    this.#columns.clear();
    for (const [message, view] of responses)
      this.#columns.set(message.id, new CompareColumn(message, view, this.#host));
    this.#row.replaceChildren(...[...this.#columns.values()].map(({ element }) => element));
    this.element.setAttribute("aria-label", t("{0} responses side by side", String(ids.length)));
    this.#showProgress();
    return hadFocus;
  }

  change(messageId: string, change: MessageChange): void {
    const column = this.#columns.get(messageId);
    if (column === undefined) return;
    const wasStreaming = column.isStreaming;
    column.change(change);
    if (wasStreaming && !column.isStreaming)
      this.#liveRegion.announce(t("{0} has responded.", change.model ?? ""));
    this.#showProgress();
  }

  grown(messageId: string): void {
    this.#columns.get(messageId)?.grown();
  }

  #showProgress(): void {
    const streaming = [...this.#columns.values()].filter(({ isStreaming }) => isStreaming).length;
    this.#words.textContent =
      streaming === 0
        ? t("Choose the response to continue with. The others are kept as versions.")
        : t("Still streaming: {0} of {1} responses.", String(streaming), String(this.#columns.size));
    this.#stopAll.hidden = streaming === 0;
    clearInterval(this.#timer);
    if (streaming === 0) return;
    this.#timer = setInterval(() => {
      for (const column of this.#columns.values()) if (column.isStreaming) column.tick();
    }, tickMs);
  }

  /** The arrow keys move from one choice to the next. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const buttons = [...this.#columns.values()].map(({ chooseButton }) => chooseButton);
    const index = buttons.findIndex((button) => button === document.activeElement);
    if (index === -1) return;
    const isLeftToRight = getComputedStyle(this.element).direction !== "rtl";
    const step = (event.key === "ArrowRight") === isLeftToRight ? 1 : -1;
    event.preventDefault();
    buttons[index + step]?.focus();
  }
}
