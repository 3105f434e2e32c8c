import { t } from "@vscode/l10n";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageAction } from "../../core/panel/pageActions.ts";
import type { MessageChange } from "../../core/conversation/messageFields.ts";
import { iconButton } from "../kit/dom.ts";
import { createToolbar } from "../kit/keyboard/toolbars.ts";
import type { MessageContext } from "./messageView.ts";
import type { UsageLine } from "./usageLine.ts";
import { VersionSwitch } from "./versionSwitch.ts";

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
    const save = iconButton("beaker", t("Save as Test…"), act("saveAsTest"));
    this.#versions = new VersionSwitch(host, id);
    this.#usage = usageLines.create(settings);
    this.details = this.#usage.details;
    this.element = createToolbar(
      t("Response actions"),
      { class: "message-foot" },
      // Versions come first because they are always visible, unlike the other buttons.
      ...[this.#versions.element, copy, regenerate, fork, inspect, save, this.#usage.button],
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
