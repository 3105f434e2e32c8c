import { t } from "@vscode/l10n";
import { estimateTokens } from "../../../core/compose/meter/estimateTokens.ts";
import { partName } from "../../../core/compose/attachments/describePart.ts";
import { contextIcon, shortTitle } from "../../../core/compose/context/contextPart.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { create, icon } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";

/** UTF-16 code units of a text that are counted. The rest of a longer text is assumed to be similar. */
const countedLength = 40_000;

/** Estimates the number of tokens in the text. A long text takes no longer than a short one. */
export function estimateLongText(text: string): number {
  if (text.length <= countedLength) return estimateTokens(text);
  return Math.round((estimateTokens(text.slice(0, countedLength)) * text.length) / countedLength);
}

/** Approximately how many tokens the text is, such as `≈ 1.2k tokens`. Every model counts a little differently. */
export function describeTokens(text: string): string {
  const count = estimateLongText(text);
  return count === 1 ? t("≈ 1 token") : t("≈ {0} tokens", shortNumber(count));
}

function shortNumber(count: number): string {
  if (count < 1_000) return String(count);
  const thousands = count / 1_000;
  return `${formatNumber(thousands, undefined, { maximumFractionDigits: thousands < 100 ? 1 : 0 })}k`;
}

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
