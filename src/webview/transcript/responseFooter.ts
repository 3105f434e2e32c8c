import { t } from "@vscode/l10n";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageAction } from "../../core/panel/pageActions.ts";
import type { MessageChange } from "../../core/conversation/messageFields.ts";
import { iconButton } from "../kit/dom.ts";
import { createToolbar } from "../kit/keyboard/toolbars.ts";
import type { MessageContext } from "./messageView.ts";
import type { UsageLine } from "./usageLine.ts";
import { VersionSwitch } from "./versionSwitch.ts";

/** What can be done with a whole response, its versions, and what it took. */
export class ResponseFooter {
  readonly element: HTMLElement;
  /** What it took in detail, below the foot. */
  readonly details: HTMLElement;
  readonly #versions: VersionSwitch;
  readonly #usage: UsageLine;

  /** @param text The response as it is when it is copied. */
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
      // Versions are always shown: nothing that is not stands before them.
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
