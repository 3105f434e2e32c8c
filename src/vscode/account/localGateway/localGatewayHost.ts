import * as vscode from "vscode";
import type {
  LocalGatewayHost,
  LocalGatewayMemory,
  StartLocalGateway,
} from "../../../core/account/localGateway/localGateway.ts";
import type { LocalGatewayControl } from "../../../core/account/localGateway/localGatewayControl.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import { isRecord, numberField, stringField } from "../../../core/kernel/json.ts";
import { setContextKey } from "../../shell/contextKey.ts";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { LocalGatewayContext } from "./startConfiguredGateway.ts";

const memoryKey = "inferenceGateway.localGateway";

/** The settings, secrets and state of this VS Code, as a port for the local gateway. */
export function createLocalGatewayHost(
  start: StartLocalGateway,
  profiles: Profiles,
  vault: SecretVault,
  globalState: vscode.Memento,
): LocalGatewayHost {
  return {
    start,
    readProfiles: () => profiles.readRaw(),
    writeProfiles: (value) => profiles.writeRaw(value),
    readActiveName: () => profiles.activeName,
    writeActiveName: (name) => profiles.select(name),
    storeCredential: (profile, credential) => vault.store(profile, credential),
    readMemory: () => parseMemory(globalState.get(memoryKey)),
    async writeMemory(memory) {
      await globalState.update(memoryKey, memory);
    },
  };
}

function parseMemory(value: unknown): LocalGatewayMemory {
  if (!isRecord(value)) return { port: 0 };
  const port = numberField(value, "port") ?? 0;
  const previousProfile = stringField(value, "previousProfile");
  const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535;
  return { port: isPort ? port : 0, ...(previousProfile === undefined ? {} : { previousProfile }) };
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
      stopLocalGateway: () => stopLocalGateway(control),
    }),
    { dispose: stopListening },
    { dispose: () => void control.close() },
  );
}

async function stopLocalGateway(control: LocalGatewayControl): Promise<void> {
  const [{ showConfirmation }] = await Promise.all([import("../../shell/window.ts"), control.stop()]);
  showConfirmation(vscode.l10n.t("Local gateway stopped. Its profile is kept."));
}
