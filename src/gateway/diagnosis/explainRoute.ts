import { t } from "@vscode/l10n";
import { isLoopbackHost } from "../../core/kernel/loopback.ts";
import type { NetworkSettings } from "../http/networkSettings.ts";
import { isExcludedFromProxy } from "../http/noProxy.ts";
import type { ProxyRoute, Route } from "../http/route.ts";
import { findRoute, noProxyEntries } from "../http/route.ts";

/** The way to an address, and the setting that decides it. */
export interface RouteExplanation {
  readonly route: Route;
  /** A full sentence. */
  readonly why: string;
}

/** Throws `proxy` if the proxy's own address is invalid. */
export function explainRoute(url: URL, settings: NetworkSettings): RouteExplanation {
  if (isLoopbackHost(url.hostname)) {
    return { route: {}, why: t("This machine itself is never reached through a proxy.") };
  }
  if (settings.proxySupport === "off") {
    return { route: {}, why: t("The setting http.proxySupport is “off”, so no proxy is used.") };
  }
  const excluding = noProxyEntries(settings).find((entry) => isExcludedFromProxy(url, [entry]));
  if (excluding !== undefined) {
    const source =
      settings.noProxy.length > 0 ? t("The setting http.noProxy") : t("The environment variable NO_PROXY");
    return { route: {}, why: t("{0} contains “{1}”, so no proxy is used.", source, excluding) };
  }
  const route = findRoute(url, settings);
  const why =
    route.proxy === undefined
      ? t("No proxy is configured in VS Code's settings or the environment.")
      : t("Using the proxy {0} (from {1}).", route.proxy.url.host, route.proxy.source);
  return { route, why };
}

/** The proxy that is set, although something keeps this address from it. */
export function unusedProxy(url: URL, settings: NetworkSettings): ProxyRoute | undefined {
  const environment = { ...settings.environment, no_proxy: undefined, NO_PROXY: undefined };
  try {
    return findRoute(url, { ...settings, noProxy: [], proxySupport: "override", environment }).proxy;
  } catch {
    return undefined;
  }
}
