import { t } from "@vscode/l10n";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import { bareHost, openBareSocket } from "../http/openSocket.ts";
import type { Route } from "../http/route.ts";
import { unusedProxy } from "./explainRoute.ts";
import { failedFinding } from "./runSteps.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { labelOf, trustOf } from "./target.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";

/** Whether there is a way to the server, through the proxy where one is used; where not, whether the other way is open. */
export const tcpStep: Step<Target> = {
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
  return `${remoteAddress}, ${t("port {0}", remotePort)}`;
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
  // Over plain http a proxy accepts the connection whatever lies behind it.
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
    "{1} is reachable through the proxy {0}. Remove it from the proxy exclusions.",
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
