import { isRecord, parseJson } from "../../core/kernel/json.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

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

/** Parses an XML error such as `<Error><Code>…</Code><Message>…</Message></Error>`; undefined if it is a web page. */
export function parseXmlError(text: string): ErrorBody | undefined {
  if (isHtml(text)) return undefined;
  const read = elementReader(text);
  const code = read("(?:error)?code|faultcode");
  const message = read("(?:error)?message|faultstring|detail|reason|description|title");
  const requestId = read("request-?id");
  if (code === undefined && message === undefined) return undefined;
  return filledFields({ code, message, requestId });
}

/** Parses a web page: the text of its title or first heading. Nothing else in it is useful to the user. */
export function parseHtmlError(text: string): ErrorBody {
  const read = elementReader(text);
  const [title, heading] = [read("title"), read("h1") ?? read("h2")];
  const isTitleInformative = title !== undefined && !/^error$|error report/i.test(title);
  const message = (isTitleInformative ? title : undefined) ?? heading ?? read("pre") ?? title;
  return { ...(message === undefined ? {} : { message }), pageTitle: title ?? heading ?? "" };
}

const pageStart = /^<(?:!doctype\s{1,9}html|html|head|body|title|center|h1|p|div|script|meta)(?![\w-])/i;

/** Whether a body is a web page. */
export function isHtml(text: string): boolean {
  return pageStart.test(withoutParts(text, "<!--", "-->").trimStart().slice(0, 30));
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

/** Removes what is between each start and the end that follows it, or the end of the text. */
function withoutParts(text: string, start: string | RegExp, end: string): string {
  const [first = "", ...others] = text.split(start);
  const rest = others.map((part) => {
    const at = part.toLowerCase().indexOf(end);
    return at === -1 ? "" : part.slice(at + end.length);
  });
  return [first, ...rest].join("");
}

/** What is readable of the markup: without comments and scripts, and with the text of CDATA as any other text. */
function readable(markup: string): string {
  const [first = "", ...data] = withoutParts(markup, "<!--", "-->").split("<![CDATA[");
  const plain = data.map((part) => {
    const [inside = "", ...after] = part.split("]]>");
    return inside.replaceAll("&", "&amp;").replaceAll("<", "&lt;") + after.join("]]>");
  });
  return ["script", "style", "svg", "noscript"].reduce(
    (text, name) => withoutParts(text, new RegExp(`<${name}(?![\\w-])`, "i"), `</${name}>`),
    [first, ...plain].join(""),
  );
}

/** Returns the text of the first closed element with one of the names, as alternatives of a pattern, and any prefix. */
function elementReader(markup: string): (names: string) => string | undefined {
  const text = readable(markup);
  return (names) => {
    const [, ...parts] = text.split(new RegExp(`<(?:[\\w-]{1,30}:)?(?:${names})(?:\\s[^<>]{0,500})?>`, "i"));
    const end = new RegExp(`</(?:[\\w-]{1,30}:)?(?:${names})\\s{0,9}>`, "i");
    for (const part of parts) {
      const at = part.search(end);
      const inner = at === -1 ? "" : collapse(part.slice(0, at).replace(/<[^<>]{0,500}>/g, " "));
      if (inner !== "") return inner;
    }
    return undefined;
  };
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
