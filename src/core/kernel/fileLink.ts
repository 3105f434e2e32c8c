import { percentDecode } from "./httpAddress.ts";

/** A file that a link in a response names. The text is foreign: such a file need not exist. */
export interface FileLink {
  /** Absolute, or relative to a workspace folder. Never on another computer. */
  readonly path: string;
  /** Counted from one; both ends are included. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/** Maximum UTF-16 units. Longer texts aren't paths. */
const maxLength = 1_000;

/** `#L3`, `#L3-L5`, `#L3C1-L5C2`, `#3-5`, `:3`, `:3:1` and `:3-5` at the end of a path. */
const position = /(?:#L?|:)(\d{1,7})(?:[:C]\d{1,5})?(?:-L?(\d{1,7})(?:C\d{1,5})?)?$/i;

/**
 * Reads the target of a link, percent-encoded or not. Undefined for anything that isn't a path on this machine: other
 * schemes, network paths, anchors, and words without a folder or an extension.
 */
export function parseFileLink(href: string): FileLink | undefined {
  if (href.length > maxLength) return undefined;
  const text = percentDecode(href);
  const isUri = /^file:\/\//i.test(text);
  const local = isUri ? text.replace(/^file:\/\/(?:localhost(?=\/))?(?:\/(?=[a-z]:))?/i, "") : text;
  const match = position.exec(local);
  const path = (match === null ? local : local.slice(0, match.index)).replace(/#.*$/s, "");
  const isForeign = /^(?:[\\/]{2}|[a-z][a-z\d+.-]+:|#|\?)/i.test(path) || /[\p{Cc}<>"|*?]/u.test(path);
  const isPath = /[\\/]|[^.\s]\.\w{1,10}$/.test(path) && !/^[a-z]:(?![\\/])/i.test(path);
  if (isForeign || !isPath || (isUri && !/^(?:\/|[a-z]:)/i.test(path))) return undefined;
  const first = Number(match?.[1] ?? 0);
  const last = Math.max(first, Number(match?.[2] ?? first));
  return first === 0 ? { path } : { path, lines: { first, last } };
}

/** Whether code in a sentence names a file: with a folder and an extension, or with a line. */
export function isFileName(code: string): boolean {
  const link = /^[^\s()\uD800-\uDFFF]{3,300}$/.test(code) ? parseFileLink(encodePath(code)) : undefined;
  if (link === undefined) return false;
  const hasExtension = /[^\\/.]\.[a-z]\w{0,9}$/i.test(link.path);
  return hasExtension && (link.lines !== undefined || /^[^@]*[\\/]/.test(link.path));
}

/** The path as the target of a link. It must not contain halves of characters. */
export function encodePath(path: string): string {
  return encodeURI(path);
}
