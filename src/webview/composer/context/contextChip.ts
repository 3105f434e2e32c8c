import { t } from "@vscode/l10n";
import { partName } from "../../../core/compose/attachments/describePart.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { contextIcon } from "../../../core/compose/context/contextPart.ts";
import { shortTitle } from "../../../core/compose/context/lineRange.ts";
import { create, icon } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import { describeTokens } from "./tokenCount.ts";

/** A text that is sent with the message: its kind and size, and a click that opens its location. */
export function createContextChip(part: TextPart, host: Host): HTMLElement {
  const name = partName(part);
  const size = describeTokens(part.text);
  const label = t("Open {0}, {1}", name, size);
  const button = create(
    "button",
    { type: "button", class: "tray-open context-chip", title: label, "aria-label": label },
    icon(contextIcon(part.text)),
    createLocationLabel(shortTitle(name)),
    " ",
    create("span", { class: "attachment-facts" }, size),
  );
  button.addEventListener("click", () =>
    host.post({ type: "openContext", title: part.title ?? name, text: part.text }),
  );
  return button;
}

/**
 * The name of a location. If space is limited, the folders are truncated first, and the line numbers at its end never
 * are.
 */
export function createLocationLabel(title: string): HTMLElement {
  const range = /:\d+(?:-\d+)?$/.exec(title)?.[0] ?? "";
  const path = title.slice(0, title.length - range.length);
  const folders = shortTitle(title) === title ? 0 : path.lastIndexOf("/") + 1;
  const part = (text: string): HTMLElement => create("span", { class: "attachment-name", dir: "auto" }, text);
  return create(
    "span",
    { class: "place-name" },
    part(path.slice(0, folders)),
    part(path.slice(folders)),
    create("span", {}, range),
  );
}
