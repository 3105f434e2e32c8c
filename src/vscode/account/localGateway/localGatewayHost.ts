import * as vscode from "vscode";
import { localGatewayProfileName } from "../../../core/account/localGateway/localGateway.ts";
import type {
  LocalGatewayHost,
  LocalGatewayMemory,
  StartLocalGateway,
} from "../../../core/account/localGateway/localGateway.ts";
import type { LocalGatewayControl } from "../../../core/account/localGateway/localGatewayControl.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import { parseProfiles } from "../../../core/account/parseProfiles.ts";
import { isRecord, stringField } from "../../../core/kernel/json.ts";
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
    async join(port) {
      const { joinLocalGateway } = await import("../../../localGateway/service/joinLocalGateway.ts");
      return joinLocalGateway(port, async () => {
        const { profiles: all } = parseProfiles(profiles.readRaw());
        const profile = all.find(({ name }) => name === localGatewayProfileName);
        const reading = profile === undefined ? undefined : await vault.read(profile, "apiKey");
        const credential = reading?.state === "present" ? reading.credential : undefined;
        return credential?.kind === "apiKey" ? credential.apiKey : undefined;
      });
    },
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
  const previousProfile = isRecord(value) ? stringField(value, "previousProfile") : undefined;
  return previousProfile === undefined ? {} : { previousProfile };
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
  const isJoined = control.running?.ended !== undefined;
  const [{ showConfirmation }] = await Promise.all([import("../../shell/window.ts"), control.stop()]);
  showConfirmation(
    isJoined
      ? vscode.l10n.t("Another window still runs the local gateway. Its profile is kept.")
      : vscode.l10n.t("Local gateway stopped. Its profile is kept."),
  );
}
