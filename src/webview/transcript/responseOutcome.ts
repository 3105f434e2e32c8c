import { t } from "@vscode/l10n";
import { canContinue } from "../../core/conversation/continuation.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageChange } from "../../core/conversation/messageFields.ts";
import type { MessageAction } from "../../core/panel/pageActions.ts";
import { create, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import { createErrorBox } from "./errorBox.ts";
import type { ChatRemedy } from "./errorBox.ts";
import { isRemedyBy } from "../../core/account/remedies.ts";

/** The message and the actions for a response that didn't end normally. */
export class ResponseOutcome {
  readonly element = create("div", { class: "outcome" });
  readonly #host: Host;
  readonly #id: string;
  readonly #isDamaged: boolean;

  constructor(host: Host, { id, isDamaged = false }: Message) {
    this.#host = host;
    this.#id = id;
    this.#isDamaged = isDamaged;
  }

  /** @param isLast Whether it is the newest message: only that one can be tried again. */
  show({ status, error, finishReason }: MessageChange, text: string, isLast: boolean): void {
    const parts: HTMLElement[] = [];
    if (status === "failed" && error !== undefined) {
      parts.push(createErrorBox(error, { canRetry: isLast, onAction: (id) => this.#fix(id) }));
    }
    if (status === "stopped") parts.push(this.#createStoppedLine(isLast));
    const isBroken = canContinue({
      role: "assistant",
      status,
      text,
      finishReason,
      isDamaged: this.#isDamaged,
    });
    if (status !== "streaming" && isBroken) parts.push(this.#createContinueButton());
    this.element.replaceChildren(...parts);
  }

  #createStoppedLine(isLast: boolean): HTMLElement {
    const words = create("span", { class: "stopped-words" }, t("You stopped this response."));
    const buttons = isLast ? [textButton(t("Retry"), () => this.#fix("retry"))] : [];
    return create("div", { class: "stopped" }, words, ...buttons);
  }

  #createContinueButton(): HTMLElement {
    const button = textButton(t("Continue from Here"), () => this.#act("continue"));
    button.classList.add("idle-only");
    return create("div", { class: "continue" }, button);
  }

  #fix(remedy: ChatRemedy): void {
    if (isRemedyBy(remedy, "message")) this.#act(remedy);
    else this.#host.post({ type: "action", id: remedy, messageId: this.#id });
  }

  #act(action: MessageAction): void {
    this.#host.post({ type: "messageAction", action, messageId: this.#id });
  }
}
