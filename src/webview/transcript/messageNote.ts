import { t } from "@vscode/l10n";
import { create, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** A note below a message that later requests omit. */
export class MessageNote {
  readonly element = create("div", { class: "message-note", role: "note", hidden: "" });

  constructor(host: Host, messageId: string) {
    const include = textButton(t("Include"), () =>
      host.post({ type: "messageAction", action: "includeMessage", messageId }),
    );
    include.title = t("Include this message in later requests");
    this.element.append(create("span", {}, t("Not included in later requests")), include);
  }

  /** @param isLeftOut Whether later requests leave the message out. */
  show(isLeftOut: boolean): void {
    this.element.hidden = !isLeftOut;
  }
}
