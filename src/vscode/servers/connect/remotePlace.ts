import * as vscode from "vscode";
import { putSshHost, sshAliasOf, sshHost } from "../../../core/servers/connect/sshHostsFile.ts";
import type { SshHost } from "../../../core/servers/connect/sshHostsFile.ts";
import type { RemotePlace } from "../../../core/servers/connect/sshSession.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import type { Server } from "../../../core/servers/server.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { readPrivateFile, writePrivateFile } from "../../../processes/servers/configFile.ts";
import { sha256Hex } from "../../shell/digest.ts";
import { sshHostsPath } from "./remoteSsh.ts";

/** What places need to know about the profiles and the files of the extension. */
export interface RemotePlaceContext {
  readonly context: { readonly storageUri: vscode.Uri };
  originOf(profileName: string): string;
}

type RowServer = Pick<ServerRow, "server" | "profileName">;

/** An address isn't needed to know which server it is. */
function hostOf(serversView: RemotePlaceContext, { server, profileName }: RowServer): SshHost {
  const target = sshTargetOf(server) ?? { host: "", user: undefined, port: undefined };
  return sshHost(server, target, serversView.originOf(profileName), sha256Hex);
}

/**
 * How a server is reached over SSH; undefined if its record doesn't say. Its key is known under the name under which
 * Remote-SSH has stored it, if the user has opened the server with it.
 */
export async function remotePlaceOf(
  serversView: RemotePlaceContext,
  row: RowServer,
): Promise<RemotePlace | undefined> {
  const target = sshTargetOf(row.server);
  if (target === undefined) return undefined;
  const isOpened = (await aliasOf(serversView, row)) !== undefined;
  return { target, keyAlias: isOpened ? hostOf(serversView, row).keyAlias : undefined };
}

/** The server's name in the user's SSH configuration; undefined if the user hasn't opened it with Remote-SSH. */
export async function aliasOf(serversView: RemotePlaceContext, row: RowServer): Promise<string | undefined> {
  const hosts = await readPrivateFile(sshHostsPath(serversView.context.storageUri));
  return sshAliasOf(hosts, hostOf(serversView, row).identity);
}

/** Whether the folder that is open here, or the workspace, is on this server. */
export async function isServerWindow(serversView: RemotePlaceContext, row: RowServer): Promise<boolean> {
  const uri = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.workspace.workspaceFile;
  if (uri?.scheme !== "vscode-remote") return false;
  const alias = await aliasOf(serversView, row);
  return alias !== undefined && uri.authority.toLowerCase() === `ssh-remote+${alias}`;
}

/** Writes the present addresses of the servers that the user has opened, so that windows on them find them again. */
export async function refreshSshHosts(
  serversView: RemotePlaceContext,
  profileName: string,
  servers: readonly Server[],
): Promise<void> {
  const path = sshHostsPath(serversView.context.storageUri);
  const before = await readPrivateFile(path);
  if (before === "") return;
  let text = before;
  for (const server of servers) {
    const host = hostOf(serversView, { server, profileName });
    if (host.host !== "" && sshAliasOf(text, host.identity) !== undefined) text = putSshHost(text, host).text;
  }
  // Another window may have added a server in the meantime.
  if (text !== before && (await readPrivateFile(path)) === before) await writePrivateFile(path, text);
}
