import type { ErrorBody } from "./errorFields.ts";

/** An element's name in lower case without prefix, and its text. */
interface Element {
  readonly name: string;
  readonly text: string;
}

/** Parses an XML error such as `<Error><Code>…</Code><Message>…</Message></Error>`; undefined if it is a web page. */
export function parseXmlError(text: string): ErrorBody | undefined {
  if (isHtml(text)) return undefined;
  const elements = readElements(text);
  const code = firstText(elements, /^(?:(?:error)?code|faultcode)$/);
  const message = firstText(elements, /^(?:(?:error)?message|faultstring|detail|reason|description|title)$/);
  const requestId = firstText(elements, /^request-?id$/);
  if (code === undefined && message === undefined) return undefined;
  return {
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Parses a web page: the text of its title or first heading. Nothing else in it is useful to the user. */
export function parseHtmlError(text: string): ErrorBody {
  const elements = readElements(text);
  const title = firstText(elements, /^title$/);
  const heading = firstText(elements, /^h1$/) ?? firstText(elements, /^h2$/);
  const preformatted = firstText(elements, /^pre$/);
  const isTitleInformative = title !== undefined && !/^error$|error report/i.test(title);
  const message = (isTitleInformative ? title : undefined) ?? heading ?? preformatted ?? title;
  const pageTitle = title ?? heading ?? "";
  return { ...(message === undefined ? {} : { message }), pageTitle };
}

const pageStart = /^<(?:!doctype\s{1,9}html|html|head|body|title|center|h1|p|div|script|meta)(?![\w-])/i;

/** Whether a body is a web page. */
export function isHtml(text: string): boolean {
  let at = skipSpace(text, 0);
  while (text.startsWith("<!--", at)) {
    const end = text.indexOf("-->", at + 4);
    if (end === -1) return false;
    at = skipSpace(text, end + 3);
  }
  return pageStart.test(text.slice(at, at + 30));
}

/** Other words between angle brackets aren't markup: `List<string>`, `<ak-1234>`. */
const htmlTag =
  /<\/?(?:a|b|i|u|p|br|hr|em|h[1-6]|ul|ol|li|td|tr|th|pre|div|img|code|span|html|head|body|font|title|table|center|strong|script|style|section)(?=[\s/>])/i;

/** A text without its tags and with its entities decoded, on one line; a text without tags is unchanged. */
export function withoutTags(text: string): string {
  if (!htmlTag.test(text) || !text.includes(">")) return text;
  const plain = pieces(text).map((piece) => (piece.isTag ? " " : piece.text));
  return collapse(plain.join(""));
}

/** Parts of a page that aren't readable text. */
const unread: ReadonlySet<string> = new Set(["script", "style", "svg", "noscript"]);

/** All closed elements, in the order in which they start. Takes one pass, whatever the markup is. */
function readElements(markup: string): readonly Element[] {
  const open: { readonly name: string; readonly start: number; readonly index: number }[] = [];
  const elements: (Element | undefined)[] = [];
  const words: string[] = [];
  let unreadName: string | undefined;
  for (const { isTag, text } of pieces(markup)) {
    if (!isTag) {
      if (unreadName === undefined) words.push(text);
      continue;
    }
    const [, slash = "", full = ""] = /^<(\/?)([\w:-]{1,60})/.exec(text) ?? [];
    const name = full.slice(full.lastIndexOf(":") + 1).toLowerCase();
    if (unreadName !== undefined) {
      if (slash !== "" && name === unreadName) unreadName = undefined;
    } else if (slash === "" && unread.has(name) && !text.endsWith("/>")) unreadName = name;
    else if (slash === "" && name !== "")
      open.push({ name, start: words.length, index: elements.push(undefined) - 1 });
    else if (slash !== "") {
      // Tags that are never closed, such as <br>, are ignored; only a few are checked.
      const found = open.slice(-maxUnclosed).findLastIndex((element) => element.name === name);
      const openIndex = Math.max(0, open.length - maxUnclosed) + found;
      const begun = found === -1 ? undefined : open[openIndex];
      if (begun === undefined) continue;
      open.length = openIndex;
      const inner = words
        .slice(begun.start, begun.start + maxPieces)
        .join(" ")
        .slice(0, maxText);
      elements[begun.index] = { name, text: collapse(inner) };
    }
    words.push(" ");
  }
  return elements.filter((element) => element !== undefined);
}

const maxUnclosed = 50;
const maxPieces = 200;
const maxText = 4_000;

function firstText(elements: readonly Element[], name: RegExp): string | undefined {
  return elements.find((element) => element.text !== "" && name.test(element.name))?.text;
}

interface Piece {
  readonly isTag: boolean;
  readonly text: string;
}

/** Tags and the text between them; comments are removed, the text of CDATA counts. */
function pieces(markup: string): readonly Piece[] {
  const found: Piece[] = [];
  let at = 0;
  while (at < markup.length) {
    const start = markup.indexOf("<", at);
    if (start === -1 || start > at)
      found.push({ isTag: false, text: markup.slice(at, start === -1 ? undefined : start) });
    if (start === -1) break;
    const isData = markup.startsWith("<![CDATA[", start);
    const isComment = markup.startsWith("<!--", start);
    const close = isData ? "]]>" : isComment ? "-->" : ">";
    const end = markup.indexOf(close, start + (isComment ? 4 : 1));
    const stop = end === -1 ? markup.length : end;
    if (isData) found.push({ isTag: false, text: markup.slice(start + 9, stop) });
    else if (!isComment) found.push({ isTag: true, text: markup.slice(start, stop + 1) });
    at = end === -1 ? markup.length : end + close.length;
  }
  return found;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}

function collapse(text: string): string {
  return decodeEntities(text).replace(/\s+/g, " ").trim();
}

const namedEntities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,30}));/gi, (entity, decimal, hex, name) => {
    if (typeof name === "string") return namedEntities[name.toLowerCase()] ?? entity;
    const codePoint = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity;
  });
}
