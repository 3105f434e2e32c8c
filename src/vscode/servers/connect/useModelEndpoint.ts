import * as vscode from "vscode";
import {
  endpointProfile,
  endpointUrl,
  freeProfileName,
} from "../../../core/servers/connect/modelEndpoint.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { commandIds } from "../../shell/commandIds.ts";
import type { ServersContext } from "../serversHost.ts";
import type { ServersView } from "../serversView.ts";
import { askTarget, askWay, checkEndpoint, putEndpoint } from "./askEndpoint.ts";

/** Asks where a server offers models, and opens a chat once they have been found there. */
export async function useModelEndpoint(serversView: ServersView, row: ServerRow): Promise<void> {
  const title = vscode.l10n.t("Model Endpoint of {0}", serverName(row.server));
  const canTunnel = sshTargetOf(row.server) !== undefined;
  for (let isDone = false; !isDone;) {
    const target = await askTarget(row.server, title);
    const way = target === undefined ? undefined : await askWay(target, canTunnel, title);
    if (way === undefined) return;
    isDone =
      way.kind === "tunnel"
        ? await usePort(serversView, row, way.port, undefined)
        : await useUrl(serversView.context, row, way.url);
  }
}

/** Opens a chat with a model behind a port of the server, through a tunnel. False if the user wants another port. */
export async function usePort(
  serversView: ServersView,
  row: ServerRow,
  port: number,
  model: string | undefined,
): Promise<boolean> {
  const models = await serversView.loadModels();
  const label = model ?? vscode.l10n.t("Port {0}", String(port));
  const localPort = await models.open(row, port, label);
  if (localPort === undefined) return true;
  const url = endpointUrl("127.0.0.1", localPort);
  const checked = await checkEndpoint(serversView.context, label, url);
  if (typeof checked === "object")
    await models.chat(row, { port, localPort, model, label, credential: checked.credential });
  else models.close(localPort);
  return checked !== "otherPlace";
}

async function useUrl(context: ServersContext, row: ServerRow, url: string): Promise<boolean> {
  const { profiles } = context;
  const known = profiles.all.find(({ inferenceBaseUrl }) => inferenceBaseUrl === url)?.name;
  const name = known ?? freeProfileName(serverName(row.server), profiles.names);
  const checked = await checkEndpoint(context, name, url);
  if (typeof checked !== "object") return checked !== "otherPlace";
  await putEndpoint(context, known === undefined ? endpointProfile(name, url) : { name }, checked.credential);
  await profiles.select(name);
  await vscode.commands.executeCommand(commandIds.newChat);
  return true;
}
