import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { maskSecretText } from "../../core/servers/secretText.ts";
import type { ErrorBody } from "./errorFields.ts";
import { parseErrorJson } from "./errorJson.ts";
import { parseHtmlError, parseXmlError, withoutTags } from "./errorMarkup.ts";
import { redactSecrets } from "./redactSecrets.ts";

/** Parses any body: JSON of any shape, JSON in a string, XML, an HTML page or plain text. */
export function parseErrorText(text: string): ErrorBody {
  const body = text.replace(/^\ufeff/, "").trim();
  if (body === "") return {};
  if (body.startsWith("<")) return parseMarkup(body.slice(0, maxMarkupLength));
  const json = parseErrorJson(body);
  return json ?? { message: withoutTags(body.slice(0, maxMarkupLength)) };
}

/** A title is at the beginning; parsing more only costs time. */
const maxMarkupLength = 16 * 1024;

function parseMarkup(markup: string): ErrorBody {
  return parseXmlError(markup) ?? parseHtmlError(markup);
}

/** Maximum length of a server's message that is shown. */
const maxLength = 500;
/** Maximum length that is processed: masking may shorten the text, but not by that much. */
const maxReadLength = 4_000;

/** A long token with digits, and the word before it that identifies it. */
const namedToken =
  /\b((?:api|access|secret|private|auth|user|session|sts)?[-_ ]?(?:keys?|tokens?|secret|password|signature|credential))\b(["']?\s{0,8}(?:[:=]|\bis\b|\bprovided:)?\s{0,8}["'`]?)(?=[\w+/=.~-]*\d)[\w+/=.~-]{16,}/gi;

/**
 * A server's message in displayable form: one line, at most 500 characters, without anything that reorders the
 * surrounding text or is invisible, without the secrets or anything that looks like one, and without anything that
 * becomes a link.
 */
export function cleanServerText(text: string, secrets: readonly string[] = []): string {
  const visible = redactSecrets(sanitizeLabel(text, maxReadLength), secrets);
  const masked = maskSecretText(visible.replace(namedToken, "$1$2…"));
  // VS Code's notifications turn `[text](command:…)` into a link, which a server must not be able to create.
  return sanitizeLabel(masked.replaceAll("](", "] ("), maxLength);
}
