import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { maskSecretText } from "../../core/servers/secretText.ts";
import type { ErrorBody } from "./errorFields.ts";
import { parseErrorJson } from "./errorJson.ts";
import { parseHtmlError, parseXmlError, withoutTags } from "./errorMarkup.ts";
import { redactSecrets } from "./redactSecrets.ts";

/** Reads any body: JSON of any shape, JSON in a string, XML, an HTML page or plain text. */
export function parseErrorText(text: string): ErrorBody {
  const body = text.replace(/^\ufeff/, "").trim();
  if (body === "") return {};
  if (body.startsWith("<")) return parseMarkup(body.slice(0, maxMarkupLength));
  const json = parseErrorJson(body);
  return json ?? { message: withoutTags(body.slice(0, maxMarkupLength)) };
}

/** A title stands at the beginning; what is longer only costs time. */
const maxMarkupLength = 16 * 1024;

function parseMarkup(markup: string): ErrorBody {
  return parseXmlError(markup) ?? parseHtmlError(markup);
}

/** Longest piece of a server's own words that is shown. */
const maxLength = 500;
/** Longest piece that is looked at: masking may shorten it, but not that much. */
const maxReadLength = 4_000;

/** A long token with digits, and before it the word that says what it is. */
const namedToken =
  /\b((?:api|access|secret|private|auth|user|session|sts)?[-_ ]?(?:keys?|tokens?|secret|password|signature|credential))\b(["']?\s{0,8}(?:[:=]|\bis\b|\bprovided:)?\s{0,8}["'`]?)(?=[\w+/=.~-]*\d)[\w+/=.~-]{16,}/gi;

/**
 * A server's words as they may be shown: one line, nothing that reorders the text around it or hides in it, none of
 * the secrets and nothing that looks like one, nothing that becomes a link, at most 500 characters.
 */
export function cleanServerText(text: string, secrets: readonly string[] = []): string {
  const visible = redactSecrets(sanitizeLabel(text, maxReadLength), secrets);
  const masked = maskSecretText(visible.replace(namedToken, "$1$2…"));
  // VS Code's notifications make a link of `[text](command:…)`: a server must not be able to write one.
  return sanitizeLabel(masked.replaceAll("](", "] ("), maxLength);
}
