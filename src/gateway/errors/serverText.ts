import type { GatewayCredential } from "../../core/kernel/credential.ts";
import { secretForms } from "../../core/account/redaction.ts";
import { secretTexts } from "../../core/account/credentialKinds.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { maskSecretText } from "../../core/servers/secretMask.ts";
import type { ErrorBody } from "./errorMarkup.ts";
import { parseErrorJson } from "./errorJson.ts";
import { parseHtmlError, parseXmlError, withoutTags } from "./errorMarkup.ts";

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
  /\b((?:api|access|secret|private|auth|user|session|sts)?[-_ ]?(?:keys?|tokens?|secret|password|signature|credential))\b(["'\s]{0,9}(?:[:=]|\bis|provided:)?\s{0,8}["'`]?)(?=[\w+/=.~-]*\d)[\w+/=.~-]{16,}/gi;

/**
 * A server's message in displayable form: one line, at most 500 characters, without anything that reorders the
 * surrounding text or is invisible, without the secrets or anything that looks like one, and without anything that
 * becomes a link.
 */
export function cleanServerText(text: string, secrets: readonly string[] = []): string {
  const visible = redactSecrets(sanitizeLabel(text, maxReadLength), secrets);
  // The tokens of a JSON parser aren't secrets.
  const parts = visible.replace(namedToken, "$1$2…").split(/(unexpected token (?:'.{1,2}'|".{1,2}"))/i);
  const masked = parts.map((part, index) => (index % 2 === 1 ? part : maskSecretText(part))).join("");
  // VS Code's notifications turn `[text](command:…)` into a link, which a server must not be able to create.
  return sanitizeLabel(masked.replaceAll("](", "] ("), maxLength);
}

/** Shorter ones would redact ordinary words. */
const shortestSecret = 6;

/** The text without the secrets that a server repeats when it refuses them, in whatever form they occur. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return (
    secrets
      .filter((secret) => secret.length >= shortestSecret)
      .flatMap((secret) => secretForms(secret))
      // One secret may be part of another.
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, form) => rest.replaceAll(form, "…"), text)
  );
}

/** What a server's message may not repeat of a gateway request: the credential, and the signature in the URL. */
export function secretsOfRequest(credential: GatewayCredential, url: URL): readonly string[] {
  return [...secretTexts(credential), ...url.searchParams.getAll("signature")];
}
