import { t } from "@vscode/l10n";
import type { Message } from "../../../core/conversation/conversation.ts";
import { visibleText } from "../../../core/kernel/visibleText.ts";
import { createMessageAttachments } from "../../composer/attachments/messageAttachments.ts";
import { create, iconButton, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";

/** UTF-16 units of a result that are shown in the card; the whole of it opens as a document. */
const shownLength = 4_000;

/** What a tool gave: the beginning of its text, and its pictures. */
export function createToolResult({ id, text, attachments }: Message, host: Host): HTMLElement {
  const copy = iconButton("copy", t("Copy result"), () => host.post({ type: "copy", text }));
  copy.dataset["copy"] = "result";
  const pictures = createMessageAttachments(attachments);
  return create(
    "div",
    { class: "tool-part" },
    create("div", { class: "tool-heading" }, create("h3", {}, t("Result")), copy),
    create(
      "pre",
      { tabindex: "0", dir: "auto", "aria-label": t("Result") },
      visibleText(text.slice(0, shownLength)),
    ),
    ...(text.length > shownLength ? createRest(text.length, id, host) : []),
    ...(pictures === undefined ? [] : [pictures]),
  );
}

function createRest(length: number, messageId: string, host: Host): readonly HTMLElement[] {
  return [
    create("p", { class: "tool-rest" }, t("{0} of {1} characters are shown.", shownLength, length)),
    textButton(t("Open Full Result"), () =>
      host.post({ type: "messageAction", action: "openToolResult", messageId }),
    ),
  ];
}
