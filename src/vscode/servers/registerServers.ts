import * as vscode from "vscode";
import { ServiceError } from "../../core/errors.ts";
import { logFailure } from "../../core/failureText.ts";
import type { LocalGatewayControl } from "../../core/localGatewayControl.ts";
import type { Log } from "../../core/log.ts";
import type { SecretVault } from "../../core/secretVault.ts";
import type { ServerList } from "../../core/server.ts";
import type { Clients } from "../clients.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { settings } from "../settings.ts";
import { abortableServerSource } from "./abortableServerSource.ts";
import { registerServersView } from "./registerServersView.ts";

export interface ServersContext {
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly clients: Clients;
  readonly gateway: LocalGatewayControl;
  readonly log: Log;
}

/** Registers the GPU servers of the active profile; another profile or credential begins anew. */
export function registerServers({
  profiles,
  vault,
  clients,
  gateway,
  log,
}: ServersContext): vscode.Disposable {
  async function listServers(signal: AbortSignal): Promise<ServerList> {
    const profile = profiles.active;
    if (profile === undefined) throw notSignedIn(vscode.l10n.t("There is no profile yet."));
    if (profile.gatewayUrl === undefined) {
      throw notSignedIn(vscode.l10n.t("The profile “{0}” has no gateway URL.", profile.name));
    }
    try {
      const client = await clients.gateway(profile);
      return await client.listServers({ signal, retry: true, mapping: settings.fieldMapping() });
    } catch (error) {
      if (!signal.aborted) logFailure(log, error);
      throw error;
    }
  }
  const view = registerServersView({
    source: abortableServerSource(listServers),
    refreshInterval: settings.refreshIntervalSeconds,
  });
  const reset = (): void => view.reset();
  return vscode.Disposable.from(
    view,
    profiles.onDidChange(reset),
    { dispose: gateway.onDidChange(reset) },
    {
      dispose: vault.onDidChange((name) => {
        if (name === profiles.active?.name) reset();
      }),
    },
  );
}

function notSignedIn(message: string): ServiceError {
  return new ServiceError({ reason: "missingCredential", message });
}
