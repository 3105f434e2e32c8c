import { t } from "@vscode/l10n";
import { isRemedyBy } from "../../core/account/remedies.ts";
import { canContinue } from "../../core/conversation/continuation.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageChange } from "../../core/conversation/messageDetails.ts";
import type { MessageAction } from "../../core/panel/pageActions.ts";
import { create, iconButton, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import { createToolbar } from "../kit/keyboard/toolbars.ts";
import { createErrorBox } from "./notices.ts";
import type { ChatRemedy } from "./notices.ts";
import type { MessageContext } from "./messageView.ts";
import type { UsageLine } from "./usageLine.ts";
import { VersionSwitch } from "./versionSwitch.ts";

/** The message and the actions for a response that didn't end normally. */
export class ResponseOutcome {
  readonly element = create("div", { class: "outcome" });
  readonly #host: Host;
  readonly #id: string;

  constructor(host: Host, { id }: Message) {
    this.#host = host;
    this.#id = id;
  }

  /** @param isLast Whether it is the newest message: only that one can be tried again. */
  show({ status, error, finishReason }: MessageChange, text: string, isLast: boolean): void {
    const parts: HTMLElement[] = [];
    if (status === "failed" && error !== undefined) {
      parts.push(createErrorBox(error, { canRetry: isLast, onAction: (id) => this.#fix(id) }));
    }
    const isBroken = canContinue({
      role: "assistant",
      status,
      text,
      finishReason,
    });
    const next = status !== "streaming" && isBroken ? [this.#createContinueButton()] : [];
    if (status === "stopped") parts.push(this.#createStoppedLine(isLast, next));
    else if (next.length > 0) parts.push(create("div", { class: "continue" }, ...next));
    this.element.replaceChildren(...parts);
  }

  #createStoppedLine(isLast: boolean, more: readonly HTMLElement[]): HTMLElement {
    const words = create("span", { class: "stopped-words" }, t("You stopped this response."));
    const buttons = isLast ? [textButton(t("Retry"), () => this.#fix("retry"))] : [];
    return create("div", { class: "stopped" }, words, ...buttons, ...more);
  }

  #createContinueButton(): HTMLElement {
    const button = textButton(t("Continue from Here"), () => this.#act("continue"));
    button.classList.add("idle-only");
    return button;
  }

  #fix(remedy: ChatRemedy): void {
    if (isRemedyBy(remedy, "message")) this.#act(remedy);
    else this.#host.post({ type: "action", id: remedy, messageId: this.#id });
  }

  #act(action: MessageAction): void {
    this.#host.post({ type: "messageAction", action, messageId: this.#id });
  }
}

/** The actions on a complete response, its versions, and its usage. */
export class ResponseFooter {
  readonly element: HTMLElement;
  /** Usage details, below the footer. */
  readonly details: HTMLElement;
  readonly #versions: VersionSwitch;
  readonly #usage: UsageLine;

  /** @param text Returns the response's text for copying. */
  constructor({ id, settings }: Message, { host, usageLines }: MessageContext, text: () => string) {
    const act = (action: MessageAction) => (): void => {
      host.post({ type: "messageAction", action, messageId: id });
    };
    const copy = iconButton("copy", t("Copy Response"), () => host.post({ type: "copy", text: text() }));
    copy.dataset["copy"] = "answer";
    const regenerate = iconButton("refresh", t("Regenerate"), act("regenerate"));
    regenerate.classList.add("idle-only");
    const fork = iconButton("repo-forked", t("Fork Conversation Here"), act("fork"));
    const inspect = iconButton("inspect", t("Inspect Request"), act("inspectRequest"));
    this.#versions = new VersionSwitch(host, id);
    this.#usage = usageLines.create(settings);
    this.details = this.#usage.details;
    this.element = createToolbar(
      t("Response actions"),
      { class: "message-foot" },
      // Versions come first because they are always visible, unlike the other buttons.
      ...[this.#versions.element, copy, regenerate, fork, inspect, this.#usage.button],
    );
  }

  showVersions(versions: readonly string[]): void {
    this.#versions.show(versions);
  }

  show(change: MessageChange): void {
    this.element.hidden = change.status === "streaming";
    this.#usage.show(change);
  }
}
