import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isLoopbackHost } from "../../core/kernel/loopback.ts";
import type { NetworkSettings } from "./networkSettings.ts";
import { isExcludedFromProxy, parseNoProxy } from "./noProxy.ts";

/** The proxy that a request goes through. */
export interface ProxyRoute {
  /** Without user name and password. */
  readonly url: URL;
  /** Value of the header Proxy-Authorization. */
  readonly authorization?: string;
  /** Where the user finds it: `the setting http.proxy` or `the environment variable HTTPS_PROXY`. */
  readonly source: string;
}

/** The way to one origin; no proxy means directly. */
export interface Route {
  readonly proxy?: ProxyRoute;
}

/**
 * The route that VS Code itself would take: never a proxy to this machine, VS Code's settings before the environment,
 * and NO_PROXY only where `http.noProxy` is empty. Throws `proxy` if the proxy's own address is invalid.
 */
export function findRoute(url: URL, settings: NetworkSettings): Route {
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

/** Identifies a route. It contains the proxy's credentials, so it is for comparing only. */
export function routeKey({ proxy }: Route): string {
  return proxy === undefined ? "direct" : `${proxy.url.href} ${proxy.authorization ?? ""}`;
}

/** What is reached without a proxy, as far as it is known. */
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

/** `proxy.example:3128` without a scheme is usual in the environment and means http. */
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
        "The proxy {0} in {1} uses the unsupported protocol {2}. Set an http or https proxy.",
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
  const pair = `${decodePart(username)}:${decodePart(password)}`;
  return `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
}

/** A password with a bare percent sign is taken as it stands. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function proxyError(message: string): ServiceError {
  return new ServiceError({ reason: "proxy", message });
}
