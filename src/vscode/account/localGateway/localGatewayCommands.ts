import * as vscode from "vscode";
import type { LocalGatewayControl } from "../../../core/account/localGateway/localGatewayControl.ts";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { LocalGatewayContext } from "./startLocalGateway.ts";

/** Registers the palette commands for the local gateway, and starts it if the settings say so. */
export function registerLocalGateway(context: LocalGatewayContext): vscode.Disposable {
  const { control, log } = context;
  const stopListening = control.onDidChange((gateway) => {
    const isRunning = gateway !== undefined;
    log.info(isRunning ? `Local gateway listening at ${gateway.gatewayUrl}` : "Local gateway stopped");
    void vscode.commands.executeCommand("setContext", "inferenceGateway.localGateway.running", isRunning);
  });
  const load = () => import("./startLocalGateway.ts");
  const settings = vscode.workspace.getConfiguration("inferenceGateway.localGateway");
  if (settings.get("startAutomatically") === true)
    void load().then(({ startLocalGateway }) => startLocalGateway(context, true));
  return vscode.Disposable.from(
    registerCommands("localGateway", {
      async startLocalGateway() {
        const { startLocalGateway, offerNextSteps } = await load();
        const gateway = await startLocalGateway(context, false);
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
