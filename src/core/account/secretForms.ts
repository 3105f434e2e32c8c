import { encodeBase64, utf8Bytes } from "../kernel/base64.ts";

/** Secrets shorter than this would mask half of a log. */
const shortestSecret = 4;
/** Encoded pieces shorter than this occur in ordinary text. */
const shortestEncoded = 8;

/**
 * Every form in which a secret can occur in a line of text: as is, URL-encoded, in a JSON string, in hexadecimal, and
 * inside base64 at each of the three possible offsets. The longest come first.
 */
export function secretForms(secret: string): readonly string[] {
  const plain = secret.trim();
  if (plain.length < shortestSecret) return [];
  const bytes = utf8Bytes(plain);
  const encoded = [
    encodeUrl(plain),
    encodeUrl(plain).replaceAll("%20", "+"),
    encodeUrl(plain).replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(plain).slice(1, -1),
    hex(bytes),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ].filter((form) => form.length >= shortestEncoded);
  const forms = new Set([plain, ...encoded]);
  return [...forms].sort((a, b) => b.length - a.length);
}

/** The base64 characters that depend only on these bytes when `offset` unknown bytes precede them. */
function base64Forms(bytes: string, offset: number): readonly string[] {
  const text = encodeBase64("\0".repeat(offset) + bytes);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor(((offset + bytes.length) * 8) / 6);
  const sure = text.slice(from, to);
  return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
}

function hex(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** A lone surrogate can't be encoded; it is sent as U+FFFD on the wire, too. */
function encodeUrl(text: string): string {
  return encodeURIComponent(
    text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"),
  );
}
