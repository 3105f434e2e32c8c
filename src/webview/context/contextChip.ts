import { t } from "@vscode/l10n";
import { partName } from "../../core/attachments/describePart.ts";
import type { TextPart } from "../../core/completion.ts";
import { contextIcon } from "../../core/context/contextPart.ts";
import { shortTitle } from "../../core/context/lineRange.ts";
import { create, icon } from "../dom.ts";
import type { Host } from "../host.ts";
import { describeTokens } from "./tokenCount.ts";

/** A text that goes with the message: what it is, how large it is, and where it stands by a click. */
export function createContextChip(part: TextPart, host: Host): HTMLElement {
  const name = partName(part);
  const size = describeTokens(part.text);
  const label = t("Open {0}, {1}", name, size);
  const button = create(
    "button",
    { type: "button", class: "tray-open context-chip", title: label, "aria-label": label },
    icon(contextIcon(part.text)),
    createPlaceName(shortTitle(name)),
    " ",
    create("span", { class: "attachment-facts" }, size),
  );
  button.addEventListener("click", () =>
    host.post({ type: "openContext", title: part.title ?? name, text: part.text }),
  );
  return button;
}

/** A place by its name: where there is little room, the lines that stand behind the path stay to be seen. */
export function createPlaceName(title: string): HTMLElement {
  const range = /:\d+(?:-\d+)?$/.exec(title)?.[0] ?? "";
  return create(
    "span",
    { class: "place-name" },
    create("span", { class: "attachment-name", dir: "auto" }, title.slice(0, title.length - range.length)),
    create("span", {}, range),
  );
}
