import { t } from "@vscode/l10n";
import { isIP } from "node:net";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import { bareHost } from "../http/openSocket.ts";
import { connectionFailure } from "../http/transportErrors.ts";
import { findRoute } from "../http/route.ts";
import { unusedProxy } from "./explainRoute.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { labelOf } from "./target.ts";

/** Whether the name leads anywhere, as this machine sees it. */
export const dnsStep: Step<Target> = {
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
      // A proxy that is bypassed for this address may know the name. The connection step will show that.
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
