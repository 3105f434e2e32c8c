import type * as vscode from "vscode";
import type { LocalGatewayControl } from "../../core/account/localGateway/localGatewayControl.ts";
import type { RequestTotal } from "../../core/conversation/requestTotal.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { Clients } from "../shell/clientFactory.ts";
import type { Records } from "../../storage/records/recordsFile.ts";
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
  /** The folder for the hosts for Remote-SSH. */
  readonly storageUri: vscode.Uri;
  /** Where the last lists are stored. */
  readonly records: Records;
  /** Whether this window is the one to show a notice that all windows have a reason to show. */
  claimNotice(text: string): Promise<boolean>;
  /** What all requests since then came to, in milliseconds since 1970. */
  requests(since: number): Promise<readonly RequestTotal[]>;
}

/** The ID of the GPU Servers view in the manifest. */
export const serversViewId = "inferenceGateway.servers";

/** The URI scheme of read-only documents with the details or the JSON of a server. */
export const recordScheme = "inference-gateway-server";

/** Where it is stored which profiles lead to models on servers. */
export const modelLinksKey = "inferenceGateway.servers.models";

/** Where a window stores which ports of servers it forwards. */
export const forwardedPortsKey = "inferenceGateway.servers.forwarded";

/** Where a window stores the jobs whose models it waits for. */
const loadingKey = "inferenceGateway.servers.loading";

/** The jobs whose models this window, or it before it was reloaded, waits for. */
export function loadingJobs({ workspaceState }: Pick<ServersContext, "workspaceState">): readonly string[] {
  const stored: unknown = workspaceState.get(loadingKey);
  return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
}

/** Stores whether this window waits for the model of a job. */
export async function setLoading(
  context: Pick<ServersContext, "workspaceState">,
  id: string,
  isLoading: boolean,
): Promise<void> {
  const others = loadingJobs(context).filter((each) => each !== id);
  await context.workspaceState.update(loadingKey, isLoading ? [...others, id] : others);
}

/** A contract: VS Code finds a table from the last session by it, and package.json refers to it. */
export const tableViewType = "inferenceGateway.serverTable";

/** The same for the page of costs. */
export const costsViewType = "inferenceGateway.costs";
