import { t } from "@vscode/l10n";
import { create, icon, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** A note below a message that later requests omit, or that was damaged on disk. */
export class MessageNote {
  readonly element = create("div", { class: "message-note", role: "note", hidden: "" });
  readonly #host: Host;
  readonly #messageId: string;
  readonly #isDamaged: boolean;
  #isLeftOut: boolean | undefined;

  constructor(host: Host, messageId: string, isDamaged: boolean) {
    this.#host = host;
    this.#messageId = messageId;
    this.#isDamaged = isDamaged;
    this.show(false);
  }

  /** @param isLeftOut Whether later requests leave the message out. */
  show(isLeftOut: boolean): void {
    if (isLeftOut === this.#isLeftOut) return;
    this.#isLeftOut = isLeftOut;
    const words = this.#words();
    this.element.hidden = words === "";
    this.element.replaceChildren(
      ...(this.#isDamaged ? [icon("warning")] : []),
      create("span", {}, words),
      ...(isLeftOut ? [this.#createInclude()] : []),
    );
  }

  #words(): string {
    if (this.#isDamaged && this.#isLeftOut === true)
      return t(
        "This message was damaged on disk: part of it may be missing or wrong. It isn't included in later requests.",
      );
    if (this.#isDamaged) return t("This message was damaged on disk: part of it may be missing or wrong.");
    return this.#isLeftOut === true ? t("Not included in later requests") : "";
  }

  #createInclude(): HTMLElement {
    const include = textButton(t("Include"), () =>
      this.#host.post({ type: "messageAction", action: "includeMessage", messageId: this.#messageId }),
    );
    include.title = t("Include this message in later requests");
    return include;
  }
}
