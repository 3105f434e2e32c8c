import { isRecord, parseJson } from "../../core/kernel/json.ts";

const maxValues = 2_000;
const maxDepth = 12;
const maxInside = 20;

/**
 * Visits the fields of an error body, the outermost first, and those of JSON inside its texts. Names are in lower case
 * without hyphens, underscores and dots. Very large or deep values are visited only in part.
 */
export function visitErrorFields(document: unknown, visit: (name: string, value: unknown) => void): void {
  let level: readonly unknown[] = [document];
  let seen = 0;
  let inside = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (++seen > maxValues) return;
      if (typeof value === "string") {
        const parsed = inside < maxInside ? parseJsonInside(value)?.value : undefined;
        if (parsed !== undefined) inside++;
        next.push(parsed);
      } else if (Array.isArray(value)) next.push(...value.slice(0, 50));
      else if (isRecord(value)) {
        for (const [name, inner] of Object.entries(value).slice(0, 200)) {
          visit(plainName(name), inner);
          next.push(inner);
        }
      }
    }
    level = next;
  }
}

/** The name in lower case without hyphens, underscores and dots. */
export function plainName(name: string): string {
  return name.slice(0, 100).toLowerCase().replace(/[-_.]/g, "");
}

/** JSON inside a text, and what precedes it. */
interface JsonInside {
  readonly prefix: string;
  readonly value: object;
}

const longestPrefix = 300;

/**
 * The object or list in a text: the text itself, the data of its first event, or the end of a sentence, as in
 * `OpenAIException - {"error": …}`. Undefined if there is none.
 */
export function parseJsonInside(text: string): JsonInside | undefined {
  const trimmed = text.trim();
  const data = /^(?:event:[^\n]{0,100}\n)?data:\s?/.exec(trimmed);
  if (data !== null) {
    const end = trimmed.indexOf("\n", data[0].length);
    return parseFrom(trimmed.slice(0, end === -1 ? trimmed.length : end), data[0].length, "");
  }
  const start = trimmed.search(/[[{]/);
  if (start === -1 || start > longestPrefix || !/[\]}]$/.test(trimmed)) return undefined;
  const object = trimmed.indexOf("{");
  return (
    parseFrom(trimmed, start, trimmed.slice(0, start)) ??
    (object > start && object <= longestPrefix
      ? parseFrom(trimmed, object, trimmed.slice(0, object))
      : undefined)
  );
}

function parseFrom(text: string, start: number, prefix: string): JsonInside | undefined {
  const value = parseJson(text.slice(start));
  return typeof value === "object" && value !== null ? { prefix, value } : undefined;
}
/** The content of an error response. All of it is the server's own text and must be sanitized before it is shown. */
export interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** Title of an HTML page, which means that a proxy or a website responded instead of the service. */
  readonly pageTitle?: string;
}

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

const tagNames =
  "a|b|i|u|p|br|hr|em|h[1-6]|ul|ol|li|td|tr|th|pre|div|img|code|span|html|head|body|font|title|table|center|strong";
/** Only what is closed is markup: in messages about code, `List<a>`, `<ak-1234>` and `Unexpected token '<'` aren't. */
const closingTag = new RegExp(`</(?:${tagNames})>|<br ?/?>`, "i");
const htmlTag = new RegExp(`</?(?:${tagNames})(?:\\s[^<>]{0,500})?/?>`, "gi");

/** A text without its tags and with its entities decoded, on one line; a text without tags is unchanged. */
export function withoutTags(text: string): string {
  return closingTag.test(text) ? collapse(text.replace(htmlTag, " ")) : text;
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
