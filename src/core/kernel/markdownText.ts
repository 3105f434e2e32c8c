import { sanitizeLabel } from "./sanitizeLabel.ts";

/** Longest text from outside that a report shows. */
const maxLength = 600;

/** Text from outside as Markdown that renders literally: no links, no images, no markup. */
export function escapeMarkdown(text: string): string {
  return sanitizeLabel(text, maxLength * 2).replace(/[\\`*[\]<>|~]|(?<!\w)_|_(?!\w)|^#/g, "\\$&");
}

/** Text from outside as a code span: nothing in it is interpreted, and it can be copied as it stands. */
export function codeSpan(text: string): string {
  const clean = sanitizeLabel(text, maxLength).replaceAll("`", "'");
  return clean === "" ? "–" : `\`${clean}\``;
}
