import { t } from "@vscode/l10n";
import type { ContentPart, TextPart } from "../../conversation/completion.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { fenced } from "./contextPart.ts";
/** Maximum bytes of a file that is attached as text. */
export const maxTextBytes = 1_000_000;

/** Bytes at the start of a file that determine whether it is text. */
export const headBytes = 8_192;

/**
 * Whether the bytes aren't text: a NUL among the first ones, as in Git. UTF-16 is recognized by its byte order mark.
 */
export function isBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return bytes.subarray(0, headBytes).includes(0);
}

/** UTF-16 units and lines above which text is attached instead of being put into a text field. */
const [mostUnits, mostLines] = [20_000, 400];
/** UTF-16 units that a text field can still show without freezing the page for seconds. */
const mostShown = 1_000_000;
/** Read by models, so never translated. */
const head = "Pasted text:\n\n";

/** Whether a text is long enough to attach it rather than put it into a message. */
export function isLongText(text: string): boolean {
  if (text.length > mostUnits) return true;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= mostLines; at = text.indexOf("\n", at + 1))
    lines += 1;
  return lines > mostLines;
}

/** A long text as an attachment. */
export function pastedPart(text: string): TextPart {
  const lines = countLines(text);
  const title = lines === 1 ? t("Pasted text") : t("Pasted text, {0} lines", formatNumber(lines));
  return { type: "text", text: `${head}${fenced(text, "")}`, title };
}

/** The pasted text, if the attachment is one and a text field can show it. */
export function pastedTextOf(part: ContentPart): string | undefined {
  if (part.type !== "text" || part.text.length > mostShown || !part.text.startsWith(head)) return undefined;
  const start = part.text.indexOf("\n", head.length) + 1;
  const end = part.text.lastIndexOf("\n");
  return start > 0 && end >= start ? part.text.slice(start, end) : undefined;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.endsWith("\n") ? lines - 1 : lines;
}
