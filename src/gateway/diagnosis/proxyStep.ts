import { t } from "@vscode/l10n";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { explainRoute } from "./explainRoute.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";

/** Which proxy is used, and why. */
export const proxyStep: Step<Target> = {
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
      : [{ label: t("User name and password of the proxy"), value: t("set") }]),
    ...(isOverruled ? [{ label: t("Not checked"), value: t("NO_PROXY, because http.noProxy is set") }] : []),
  ];
}
