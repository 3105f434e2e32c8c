/** The parts of an http or https URL that decide where credentials go. */
export interface HttpAddress {
  readonly scheme: "http" | "https";
  /** In lower case; an IPv6 address in its brackets. */
  readonly host: string;
  /** Scheme, host and port, without the scheme's own port: what a credential is bound to. */
  readonly origin: string;
  /** Begins with a slash, or is empty. */
  readonly path: string;
  /** Without its question mark; undefined if there is none. */
  readonly query?: string;
}

/** Why a text isn't an address, classified by what the user can do about it. */
export type AddressProblem = "empty" | "scheme" | "characters" | "userInfo" | "host" | "port";

export type AddressResult = { readonly address: HttpAddress } | { readonly problem: AddressProblem };

/**
 * Scheme, authority, path, query; the fragment never leaves the client. Where one part ends is never in doubt, so that a
 * text that doesn't fit is refused in one pass.
 */
const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)((?:\/[^?#]*)?)(?:\?([^#]*))?(?:#.*)?$/is;

/**
 * Reads a URL that a user wrote. Stricter than the URL standard on purpose: what browsers would silently repair
 * (back slashes, white space, control characters, user names) is refused, so that what is shown is where it goes.
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

/** The origin of an address that was read before; undefined if it can't be read. */
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
