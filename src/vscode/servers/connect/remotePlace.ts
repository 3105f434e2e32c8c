import type * as vscode from "vscode";
import { hasSshHost, sshHost } from "../../../core/servers/connect/sshHostsFile.ts";
import type { RemotePlace } from "../../../core/servers/connect/sshSession.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { readPrivateFile } from "../../../storage/files/configFile.ts";
import { sha256Hex } from "../../shell/digest.ts";
import { sshHostsPath } from "./remoteSsh.ts";

interface RemotePlaceContext {
  readonly context: { readonly storageUri: vscode.Uri };
  originOf(profileName: string): string;
}

/**
 * How a server is reached over SSH; undefined if its record doesn't say. Its key is known under the name under which
 * Remote-SSH has stored it, if the user has opened the server with it.
 */
export async function remotePlaceOf(
  serversView: RemotePlaceContext,
  { server, profileName }: Pick<ServerRow, "server" | "profileName">,
): Promise<RemotePlace | undefined> {
  const target = sshTargetOf(server);
  if (target === undefined) return undefined;
  const host = sshHost(server, target, serversView.originOf(profileName), sha256Hex);
  const hosts = await readPrivateFile(sshHostsPath(serversView.context.storageUri));
  return { target, keyAlias: hasSshHost(hosts, host.identity) ? host.keyAlias : undefined };
}
