import * as vscode from "vscode";
import { ServiceError } from "../../core/errors.ts";
import { logFailure } from "../../core/failureText.ts";
import type { ServerList } from "../../core/server.ts";
import type { ServerSource } from "../../core/servers/serverSource.ts";
import type { ServerListReader } from "../../gateway/servers/serverListReader.ts";
import { settings } from "../settings.ts";
import { abortableServerSource } from "./abortableServerSource.ts";
import type { ServersContext } from "./serversHost.ts";

/** The list of a profile's gateway, asked with what profile and credential are at that time. */
export function createServerListSource(
  { profiles, clients, log }: Pick<ServersContext, "profiles" | "clients" | "log">,
  profileName: string,
): ServerSource {
  let reader: ServerListReader | undefined;
  async function listServers(signal: AbortSignal): Promise<ServerList> {
    const profile = profiles.find(profileName);
    if (profile === undefined) throw notSignedIn(vscode.l10n.t("There is no profile yet."));
    if (profile.gatewayUrl === undefined) {
      throw notSignedIn(vscode.l10n.t("The profile “{0}” has no gateway URL.", profile.name));
    }
    try {
      const [client, { ServerListReader: Reader }] = await Promise.all([
        clients.gateway(profile),
        import("../../gateway/servers/serverListReader.ts"),
      ]);
      reader ??= new Reader();
      return await client.listServers({ signal, retry: true, mapping: settings.fieldMapping(), reader });
    } catch (error) {
      if (!signal.aborted) logFailure(log, error);
      throw error;
    }
  }
  return abortableServerSource(listServers);
}

function notSignedIn(message: string): ServiceError {
  return new ServiceError({ reason: "missingCredential", message });
}
