import * as vscode from "vscode";
import type { LocalGatewayHost, StartLocalGateway } from "../../../core/account/localGateway/localGateway.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import { setContextKey } from "../../shell/contextKey.ts";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { LocalGatewayContext } from "./startConfiguredGateway.ts";

const previousKey = "inferenceGateway.previousProfile";

/** The settings, secrets and state of this VS Code, as a port for the local gateway. */
export function createLocalGatewayHost(
  start: StartLocalGateway,
  profiles: Profiles,
  vault: SecretVault,
  globalState: vscode.Memento,
): LocalGatewayHost {
  return {
    start,
    async join(port) {
      const { joinOwnGateway } = await import("./startConfiguredGateway.ts");
      return joinOwnGateway(port, profiles, vault);
    },
    profiles,
    storeCredential: (profile, credential) => vault.store(profile, credential),
    readPrevious() {
      const name = globalState.get<unknown>(previousKey);
      return typeof name === "string" ? name : undefined;
    },
    writePrevious: async (name) => globalState.update(previousKey, name),
  };
}

/** Loads the local gateway's server at the first start. */
export const startLocalGatewayOnDemand: StartLocalGateway = async (port) => {
  const { startLocalGateway } = await import("../../../localGateway/service/startLocalGateway.ts");
  return startLocalGateway({ port });
};

/** Registers the palette commands for the local gateway, and starts it if the settings say so. */
export function registerLocalGateway(context: LocalGatewayContext): vscode.Disposable {
  const { control, log } = context;
  const stopListening = control.onDidChange((gateway) => {
    const isRunning = gateway !== undefined;
    log.info(isRunning ? `Local gateway listening at ${gateway.gatewayUrl}` : "Local gateway stopped");
    setContextKey("inferenceGateway.localGateway.running", isRunning);
  });
  const load = () => import("./startConfiguredGateway.ts");
  const settings = vscode.workspace.getConfiguration("inferenceGateway.localGateway");
  if (settings.get("startAutomatically") === true)
    void load().then(({ startConfiguredGateway }) => startConfiguredGateway(context, true));
  return vscode.Disposable.from(
    registerCommands("localGateway", {
      async startLocalGateway() {
        const { startConfiguredGateway, offerNextSteps } = await load();
        const gateway = await startConfiguredGateway(context, false);
        if (gateway !== undefined) void offerNextSteps(gateway);
      },
      stopLocalGateway: async () => (await load()).stopLocalGateway(control),
    }),
    { dispose: stopListening },
    { dispose: () => void control.close() },
  );
}
