import { BlockList, isIP } from "node:net";

/**
 * Whether the list says that the URL is reached without a proxy. Entries are hosts (which stand for their subdomains
 * too), `.suffix`, `*.suffix`, addresses and CIDR ranges, each with an optional port, or `*` for everything.
 */
export function isExcludedFromProxy(url: URL, entries: readonly string[]): boolean {
  const host = withoutBrackets(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return entries.some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

/** The list as an environment variable writes it. */
export function parseNoProxy(value: string | undefined): readonly string[] {
  return (value ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return isInRange(host, entry);
  const parsed = parseEntry(entry);
  if (parsed.port !== undefined && parsed.port !== port) return false;
  const name = parsed.host.replace(/^\*?\./, "");
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

/** Splits off a port; an IPv6 address has colons of its own and needs brackets to have a port. */
function parseEntry(entry: string): { readonly host: string; readonly port?: string } {
  if (isIP(entry) === 6) return { host: entry };
  const parts = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry);
  const [, host, port] = parts ?? [];
  if (host === undefined || port === undefined) return { host: withoutBrackets(entry) };
  return { host: withoutBrackets(host), port };
}

function isInRange(host: string, range: string): boolean {
  const [network = "", bits = ""] = range.split("/");
  const version = isIP(withoutBrackets(network));
  if (version === 0 || isIP(host) === 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(withoutBrackets(network), Number(bits), family(version));
  return list.check(host, family(isIP(host)));
}

function family(version: number): "ipv4" | "ipv6" {
  return version === 6 ? "ipv6" : "ipv4";
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
