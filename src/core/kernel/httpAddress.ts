/** The parts of an http or https URL that decide where credentials go. */
export interface HttpAddress {
  readonly scheme: "http" | "https";
  /** In lower case; an IPv6 address is in brackets. */
  readonly host: string;
  /** Scheme, host and port, without the scheme's default port; a credential is bound to it. */
  readonly origin: string;
  /** Starts with a slash, or is empty. */
  readonly path: string;
  /** Without the question mark; undefined if there is no query. */
  readonly query?: string;
}

/** Why a text isn't an address, classified by what the user can do about it. */
export type AddressProblem = "empty" | "scheme" | "characters" | "userInfo" | "host" | "port";

/** An address, or why the text isn't one. */
type AddressResult = { readonly address: HttpAddress } | { readonly problem: AddressProblem };

/**
 * Scheme, authority, path and query; the fragment never leaves the client. The end of each part is unambiguous, so that
 * a non-matching text is rejected in one pass.
 */
const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)((?:\/[^?#]*)?)(?:\?([^#]*))?(?:#.*)?$/is;

/**
 * Parses a URL entered by the user. Deliberately stricter than the URL standard: anything that browsers would silently
 * repair (backslashes, whitespace, control characters, user names) is rejected, so that the URL that is shown is the
 * real destination.
 */
export function readHttpAddress(text: string): AddressResult {
  const trimmed = text.trim();
  if (trimmed === "") return { problem: "empty" };
  const match = shape.exec(trimmed);
  const scheme = match?.[1]?.toLowerCase();
  if (match === null || (scheme !== "http" && scheme !== "https")) return { problem: "scheme" };
  if (/[\s\\\p{Cc}\p{Cf}"<>^`{|}]/u.test(trimmed)) return { problem: "characters" };
  const [, , authority = "", path = "", query] = match;
  if (authority.includes("@")) return { problem: "userInfo" };
  const place = readAuthority(authority, scheme);
  if (typeof place === "string") return { problem: place };
  const { host, port } = place;
  const origin = `${scheme}://${host}${port}`;
  return { address: { scheme, host, origin, path, ...(query === undefined ? {} : { query }) } };
}

/** The origin of an address that was parsed before; undefined if it can't be parsed. */
export function originOf(url: string | undefined): string | undefined {
  const reading = readHttpAddress(url ?? "");
  return "address" in reading ? reading.address.origin : undefined;
}

function readAuthority(
  authority: string,
  scheme: "http" | "https",
): { readonly host: string; readonly port: string } | "host" | "port" {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(.*))?$/i.exec(authority);
  const host = match?.[1]?.toLowerCase();
  if (host === undefined || !isHost(host)) return "host";
  const port = match?.[2] ?? "";
  if (port === "") return { host, port: "" };
  const number = Number(port);
  if (!/^\d{1,5}$/.test(port) || number > 65_535) return "port";
  const isUsual = number === (scheme === "https" ? 443 : 80);
  return { host, port: isUsual ? "" : `:${number}` };
}

function isHost(host: string): boolean {
  if (host.startsWith("[")) return true;
  return /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?$/u.test(host);
}

/**
 * The text for a path or query: everything except the unreserved characters of RFC 3986 is percent-encoded. A lone
 * surrogate, which UTF-8 can't represent, becomes U+FFFD.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\ufffd")).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The text with its percent-encoding decoded; unchanged if that isn't valid, such as a bare percent sign. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parameters of a query in their order, each as its name and value. */
export function parseQuery(query: string): readonly (readonly [string, string])[] {
  const pairs = query.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const [name = "", value = ""] = pair.replaceAll("+", " ").split(/=(.*)/s, 2);
    return [percentDecode(name), percentDecode(value)];
  });
}

/**
 * Whether the host of a URL is this machine: 127.0.0.0/8, ::1 or `localhost`. Credentials may be sent there over plain
 * HTTP, so hosts that only look similar don't count (`127.example.com`, `localhost.example.com`). The URL parser has
 * already normalized addresses, so the extension's start doesn't need a library for them.
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (host === "localhost" || host === "::1") return true;
  // The URL parser formats ::ffff:127.0.0.1 in hexadecimal.
  if (/^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(host)) return true;
  return /^127(?:\.\d{1,3}){3}$/.test(host);
}
