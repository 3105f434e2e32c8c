import { t } from "@vscode/l10n";
import { isIP } from "node:net";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import type { NetworkSettings } from "../http/transport.ts";
import { bareHost, openBareSocket } from "../http/openSocket.ts";
import { findRoute, noProxyEntries, isExcludedFromProxy } from "../http/route.ts";
import type { ProxyRoute, Route } from "../http/route.ts";
import { connectionFailure } from "../http/transportErrors.ts";
import { failedFinding } from "./runSteps.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import { labelOf, trustOf } from "./target.ts";
import type { Target } from "./target.ts";

/** Determines which proxy is used, and why. */
export const proxyStep: DiagnosisStep<Target> = {
  title: () => t("Proxy"),
  run(target): Promise<Finding> {
    const { route, why } = explainRoute(target.url, target.network);
    target.route = route;
    return Promise.resolve({ status: "passed", summary: why, facts: facts(target) });
  },
};

function facts({ route: { proxy }, network }: Target): readonly Fact[] {
  const { noProxy, environment } = network;
  const variables = environment["NO_PROXY"] ?? environment["no_proxy"];
  const isOverruled = noProxy.length > 0 && variables !== undefined && variables !== "";
  return [
    ...(proxy === undefined ? [] : [{ label: t("Proxy"), value: proxy.url.origin }]),
    ...(proxy?.authorization === undefined
      ? []
      : [{ label: t("Proxy user name and password"), value: t("set") }]),
    ...(isOverruled ? [{ label: t("Not checked"), value: t("NO_PROXY, because http.noProxy is set") }] : []),
  ];
}

/** Checks whether the host name can be resolved on this machine. */
export const dnsStep: DiagnosisStep<Target> = {
  title: () => t("Name lookup (DNS)"),
  async run(target): Promise<Finding> {
    const host = bareHost(target.url);
    if (isIP(host) !== 0) {
      return { status: "passed", summary: t("The host is an IP address; no DNS lookup is needed.") };
    }
    try {
      const addresses = await target.ports.resolve(host);
      return {
        status: "passed",
        summary: t("{0} resolves.", host),
        facts: addresses.map((value) => ({ label: t("Address"), value })),
      };
    } catch (error) {
      if (isProxied(target)) {
        const summary = t("{0} doesn't resolve on this machine; the proxy resolves it.", host);
        return { status: "passed", summary };
      }
      const summary = connectionFailure(error, labelOf(target)).message;
      // A proxy that is bypassed for this address may be able to resolve the name, as the connection step will show.
      if (unusedProxy(target.url, target.network) !== undefined) return { status: "failed", summary };
      return { status: "failed", summary, stops: t("The host name doesn't resolve.") };
    }
  },
};

function isProxied({ url, network }: Target): boolean {
  try {
    return findRoute(url, network).proxy !== undefined;
  } catch {
    return false;
  }
}

/**
 * Checks whether the server can be reached, through the proxy if one is used; if not, whether the other route works.
 */
export const tcpStep: DiagnosisStep<Target> = {
  title: () => t("Connection (TCP)"),
  async run(target, signal): Promise<Finding> {
    const { route } = target;
    try {
      const peer = await connect(target, route, signal);
      const summary =
        route.proxy === undefined
          ? t("The server accepts connections.")
          : t("The proxy allows the connection.");
      return { status: "passed", summary, facts: [{ label: t("Connected to"), value: peer }] };
    } catch (error) {
      signal.throwIfAborted();
      const failed = failedFinding(error);
      const detour = await findDetour(target, signal);
      return {
        ...failed,
        summary: detour === undefined ? failed.summary : `${failed.summary} ${detour.sentence}`,
        ...(detour?.remedy === undefined ? {} : { remedies: [detour.remedy] }),
        stops: t("No connection."),
      };
    }
  },
};

/** The address that was reached. */
async function connect(target: Target, route: Route, signal: AbortSignal): Promise<string> {
  const socket = await openBareSocket(labelOf(target), route, trustOf(target), signal);
  const { remoteAddress = "", remotePort = 0 } = socket;
  socket.destroy();
  return `${remoteAddress}, ${t("port {0}", String(remotePort))}`;
}

interface Detour {
  readonly sentence: string;
  readonly remedy?: ReportRemedy;
}

/** A proxy that must not be used, or one that should be. */
async function findDetour(target: Target, signal: AbortSignal): Promise<Detour | undefined> {
  const host = bareHost(target.url);
  const isProxied = target.route.proxy !== undefined;
  const proxy = isProxied ? undefined : unusedProxy(target.url, target.network);
  // Over plain HTTP, a proxy accepts the connection regardless of whether it can reach the server.
  if (!isProxied && (proxy === undefined || target.url.protocol === "http:")) return undefined;
  try {
    await connect(target, proxy === undefined ? {} : { proxy }, signal);
  } catch {
    return undefined;
  }
  if (proxy === undefined) {
    return {
      sentence: t("{0} is reachable without the proxy. Add it to http.noProxy.", host),
      remedy: { remedy: "bypassProxy", label: t("Bypass the proxy for {0}", host), host },
    };
  }
  const sentence = t(
    "{1} is reachable through the proxy {0}. Remove {1} from the proxy exclusions.",
    proxy.url.host,
    host,
  );
  if (target.network.proxySupport !== "off") return { sentence };
  const label = t("Set {0} to “{1}”", "http.proxySupport", "override");
  return {
    sentence,
    remedy: { remedy: "changeSetting", label, name: "http.proxySupport", value: "override" },
  };
}

/** The route to an address, and the setting that determines it. */
interface RouteExplanation {
  readonly route: Route;
  /** A full sentence. */
  readonly why: string;
}

/** Throws `proxy` if the proxy's own address is invalid. */
function explainRoute(url: URL, settings: NetworkSettings): RouteExplanation {
  if (isLoopbackHost(url.hostname)) {
    return { route: {}, why: t("Connections to this machine never use a proxy.") };
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

/** The configured proxy, if something excludes this address from it. */
function unusedProxy(url: URL, settings: NetworkSettings): ProxyRoute | undefined {
  const environment = { ...settings.environment, no_proxy: undefined, NO_PROXY: undefined };
  try {
    return findRoute(url, { ...settings, noProxy: [], proxySupport: "override", environment }).proxy;
  } catch {
    return undefined;
  }
}
