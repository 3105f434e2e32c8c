import type { ErrorBody } from "./errorBody.ts";

/** Reads an XML error such as `<Error><Code>…</Code><Message>…</Message></Error>`; undefined where it is a page. */
export function parseXmlError(text: string): ErrorBody | undefined {
  if (isHtml(text)) return undefined;
  const code = elementText(text, "(?:error)?code|faultcode");
  const message = elementText(text, "(?:error)?message|faultstring|detail|reason|description|title");
  const requestId = elementText(text, "request-?id");
  if (code === undefined && message === undefined) return undefined;
  return {
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Reads a web page: what its title or first heading says. Nothing else of it is for a reader. */
export function parseHtmlError(text: string): ErrorBody {
  const page = text.replace(/<(script|style|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, " ");
  const title = elementText(page, "title");
  const heading = elementText(page, "h1") ?? elementText(page, "h2");
  const preformatted = elementText(page, "pre");
  const isTitleTelling = title !== undefined && !/^error$|error report|^\s*$/i.test(title);
  const message = (isTitleTelling ? title : undefined) ?? heading ?? preformatted ?? title;
  const pageTitle = title ?? heading ?? "";
  return { ...(message === undefined ? {} : { message }), pageTitle };
}

/** Whether a body is a web page. */
export function isHtml(text: string): boolean {
  return /^\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|center|h1|p|div|script|meta)\b/i.test(
    text,
  );
}

/** Text of the first element whose name matches, without tags; undefined where it is missing or empty. */
function elementText(markup: string, namePattern: string): string | undefined {
  const element = new RegExp(
    `<((?:[\\w-]+:)?(?:${namePattern}))(?:\\s[^>]*)?>([\\s\\S]*?)</\\1\\s*>`,
    "i",
  ).exec(markup);
  const text = decodeEntities(
    (element?.[2] ?? "").replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, "$1").replace(/<[^>]*>/g, " "),
  );
  const collapsed = text.replace(/\s+/g, " ").trim();
  return collapsed === "" ? undefined : collapsed;
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
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (entity, decimal, hex, name) => {
    if (typeof name === "string") return namedEntities[name.toLowerCase()] ?? entity;
    const codePoint = typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity;
  });
}
