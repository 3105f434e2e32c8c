import { t } from "@vscode/l10n";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import type { ServerList } from "../../core/servers/server.ts";
import { createGatewayClient } from "../servers/gatewayClient.ts";
import type { Step } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { isGatewayCredential } from "../../core/account/credentialKinds.ts";

/** Whether the list of servers can be read, and what of it is understood. */
export const serversStep: Step<Target> = {
  title: () => t("GPU servers"),
  async run(target, signal): Promise<Finding> {
    const { ports, profile, credential } = target;
    const client = createGatewayClient({
      transport: ports.transport,
      profile,
      readCredential: () =>
        Promise.resolve(
          credential === undefined || !isGatewayCredential(credential) ? undefined : credential,
        ),
      clockOffsets: ports.clockOffsets,
      now: () => ports.now(),
      timeoutMs: () => ports.stepMs,
      userAgent: ports.userAgent,
    });
    const list = await client.listServers({ signal, retry: false });
    const { length } = list.servers;
    const summary = length === 1 ? t("There is one server.") : t("There are {0} servers.", length);
    const isStrange = list.servers.some(({ id, name }) => id === undefined && name === undefined);
    return { status: isStrange ? "warning" : "passed", summary, facts: factsOf(list) };
  },
};

function factsOf({ servers, path, total }: ServerList): readonly Fact[] {
  const nameless = servers.filter(({ id, name }) => id === undefined && name === undefined).length;
  const stateless = servers.filter(({ status }) => status === "unknown").length;
  const all: readonly (readonly [string, string | undefined])[] = [
    [t("List found at"), path === "" ? t("the whole response") : path],
    [t("Total reported by the gateway"), total === undefined ? undefined : String(total)],
    [t("No ID or name"), nameless === 0 ? undefined : String(nameless)],
    [t("Unknown status"), stateless === 0 ? undefined : String(stateless)],
  ];
  return all.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}
