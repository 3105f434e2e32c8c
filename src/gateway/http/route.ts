import { t } from "@vscode/l10n";
import { BlockList, isIP } from "node:net";
import { ServiceError } from "../../core/kernel/errors.ts";
import { percentDecode } from "../../core/kernel/httpAddress.ts";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import type { NetworkSettings } from "./transport.ts";

/** The proxy that a request goes through. */
export interface ProxyRoute {
  /** Without user name and password. */
  readonly url: URL;
  /** Value of the header Proxy-Authorization. */
  readonly authorization?: string;
  /** Where it is configured: `the setting http.proxy` or `the environment variable HTTPS_PROXY`. */
  readonly source: string;
}

/** The route to one origin; without a proxy, it is direct. */
export interface Route {
  readonly proxy?: ProxyRoute;
}

/**
 * The profile's own proxy, or the route that VS Code itself would use: never a proxy to this machine, VS Code's
 * settings before the environment, and NO_PROXY only if `http.noProxy` is empty. Throws `proxy` if the proxy's own
 * address is invalid.
 */
export function findRoute(url: URL, settings: NetworkSettings): Route {
  const { ownProxy } = settings;
  if (ownProxy === "direct") return {};
  if (ownProxy !== undefined) return { proxy: parseProxy(ownProxy, t("the profile")) };
  if (settings.proxySupport === "off" || isLoopbackHost(url.hostname)) return {};
  if (isExcludedFromProxy(url, noProxyEntries(settings))) return {};
  if (settings.proxyUrl !== undefined && settings.proxyUrl.trim() !== "") {
    const proxy = parseProxy(settings.proxyUrl, t("the setting http.proxy"));
    const { proxyAuthorization } = settings;
    return { proxy: proxyAuthorization ? { ...proxy, authorization: proxyAuthorization } : proxy };
  }
  const found = findInEnvironment(url, settings.environment);
  return found === undefined
    ? {}
    : { proxy: parseProxy(found.value, t("the environment variable {0}", found.name)) };
}

/** Identifies a route. It contains the proxy's credentials, so use it only for comparison. */
export function routeKey({ proxy }: Route): string {
  return proxy === undefined ? "direct" : `${proxy.url.href} ${proxy.authorization ?? ""}`;
}

/** The known addresses that are reached without a proxy. */
export function noProxyEntries({ noProxy, environment }: NetworkSettings): readonly string[] {
  if (noProxy.length > 0) return noProxy;
  return parseNoProxy(environment["no_proxy"] || environment["NO_PROXY"]);
}

/** HTTP_PROXY also serves https if nothing else is set, as in VS Code itself. */
function findInEnvironment(
  url: URL,
  environment: NetworkSettings["environment"],
): { readonly name: string; readonly value: string } | undefined {
  const names =
    url.protocol === "https:" ? ["https_proxy", "all_proxy", "http_proxy"] : ["http_proxy", "all_proxy"];
  for (const name of names.flatMap((lower) => [lower, lower.toUpperCase()])) {
    const value = environment[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}

/** `proxy.example:3128` without a scheme is common in environment variables and means http. */
function parseProxy(text: string, source: string): ProxyRoute {
  const address = text.trim();
  const href = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(href) ? new URL(href) : undefined;
  if (url === undefined || url.hostname === "") {
    throw proxyError(
      t("The proxy in {0} isn't a valid URL. Use a URL such as http://proxy.example:3128.", source),
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw proxyError(
      t(
        "The proxy {0} in {1} uses the unsupported protocol {2}. Set an HTTP or HTTPS proxy.",
        url.host,
        source,
        url.protocol.slice(0, -1),
      ),
    );
  }
  const authorization = basicAuthorization(url);
  const plain = new URL(url.origin);
  return { url: plain, source, ...(authorization === undefined ? {} : { authorization }) };
}

function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = `${percentDecode(username)}:${percentDecode(password)}`;
  return `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
}

function proxyError(message: string): ServiceError {
  return new ServiceError({ reason: "proxy", message });
}

/**
 * Whether the list excludes the URL from the proxy. Entries are hosts (including their subdomains), `.suffix`,
 * `*.suffix`, addresses and CIDR ranges, each with an optional port, or `*` for everything.
 */
export function isExcludedFromProxy(url: URL, entries: readonly string[]): boolean {
  const host = withoutBrackets(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return entries.some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

/** Parses the list in the format of the environment variable. */
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

/** Splits off a port; an IPv6 address contains colons itself and needs brackets to have a port. */
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
