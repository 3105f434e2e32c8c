import { t } from "@vscode/l10n";
import { describeProgress } from "../../../core/responses/compare/progress.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { MessageChange } from "../../../core/panel/protocol.ts";
import { create, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { MessageView } from "../messageView.ts";

/** One of several responses, under a head that stays in sight with its times and what can be done with it. */
export class CompareColumn {
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

  /** Something has come of the answer. */
  grown(): void {
    if (this.#firstMs !== undefined) return;
    this.#firstMs = performance.now() - this.#beganAt;
    this.tick();
  }

  /** Tells the times as they are now. */
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
    // A button under the focus doesn't go away: the place would be lost.
    if (!this.isStreaming && this.#stop === document.activeElement) this.chooseButton.focus();
    this.#stop.hidden = !this.isStreaming;
  }
}
