import * as vscode from "vscode";
import type { LocalGatewayControl } from "../../core/account/localGateway/localGatewayControl.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { Clients } from "../shell/clientFactory.ts";
import type { Profiles } from "../account/profiles/profiles.ts";

/** What the servers need from the rest of the extension. */
export interface ServersContext {
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly clients: Clients;
  readonly gateway: LocalGatewayControl;
  readonly log: Log;
  readonly extension: vscode.Extension<unknown>;
  readonly extensionUri: vscode.Uri;
  readonly globalState: vscode.Memento;
  readonly workspaceState: vscode.Memento;
  /** Where the last lists are stored. */
  readonly storageUri: vscode.Uri;
}

/** The ID of the GPU Servers view in the manifest. */
export const serversViewId = "inferenceGateway.servers";

/** The URI scheme of read-only documents with the details or the JSON of a server. */
export const recordScheme = "inference-gateway-server";

/** The folder for the stored lists. */
export function listsFolder(storageUri: vscode.Uri): string {
  return vscode.Uri.joinPath(storageUri, "servers").fsPath;
}
