import * as vscode from "vscode";
import { readProfileName } from "../../../core/account/parseProfiles.ts";
import {
  endpointProfile,
  endpointUrl,
  freeProfileName,
} from "../../../core/servers/connect/modelEndpoint.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { urlHost } from "../../../core/servers/connect/webAddresses.ts";
import { rowLabel } from "../../../core/servers/tree/rowWords.ts";
import type { Row, ServerRow } from "../../../core/servers/tree/rows.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { chooseServer } from "../chooseServer.ts";
import type { FleetView } from "../fleetView.ts";
import type { ServersContext } from "../serversHost.ts";
import { askPlace, askWay } from "./askEndpoint.ts";
import { checkEndpoint } from "./checkEndpoint.ts";
import type { CheckedEndpoint } from "./checkEndpoint.ts";
import { openTunnel } from "./openTunnel.ts";
import { showInformationMessage, showInputBox } from "../../shell/window.ts";

/** Makes a profile of the models that run on a server, once they have been seen there. */
export async function useModelEndpoint(fleet: FleetView, row?: Row): Promise<void> {
  const chosen = await chooseServer(fleet, row, ({ address }) => urlHost(address?.value ?? "") !== undefined);
  if (chosen === undefined) return;
  const { context } = fleet;
  const name = freeProfileName(rowLabel(chosen), context.profiles.names);
  for (;;) {
    const url = await findUrl(chosen);
    if (url === undefined) return;
    const checked = await checkEndpoint(context, name, url);
    if (checked === undefined) return;
    if (checked !== "otherPlace") return saveEndpoint(context, name, url, checked);
  }
}

/** The base URL that the user chooses, its tunnel open where it needs one. */
async function findUrl(row: ServerRow): Promise<string | undefined> {
  const { server } = row;
  const title = vscode.l10n.t("Model endpoint of {0}", rowLabel(row));
  const target = sshTargetOf(server);
  const place = await askPlace(server, title);
  const way = place === undefined ? undefined : await askWay(server, place, target !== undefined, title);
  if (way?.kind !== "tunnel") return way?.url;
  const localPort = target === undefined ? undefined : await openTunnel({ row, target }, way.port);
  return localPort === undefined ? undefined : endpointUrl("http", "127.0.0.1", localPort);
}

async function saveEndpoint(
  { profiles, vault }: ServersContext,
  proposal: string,
  url: string,
  { modelCount, credential }: CheckedEndpoint,
): Promise<void> {
  const known = profiles.all.find(({ inferenceBaseUrl }) => inferenceBaseUrl === url);
  const name = known?.name ?? (await askName(url, proposal, profiles.names));
  if (name === undefined) return;
  if (known === undefined) await profiles.put(endpointProfile(name, url));
  const profile = profiles.find(name);
  if (profile !== undefined && credential !== undefined) await vault.store(profile, credential);
  const use = vscode.l10n.t("Use It");
  const chat = vscode.l10n.t("Use in New Chat");
  const message =
    modelCount === undefined
      ? vscode.l10n.t("The profile “{0}” was saved. Its models haven't been loaded yet.", name)
      : vscode.l10n.t("The profile “{0}” is ready. Models: {1}.", name, modelCount);
  const picked = await showInformationMessage(message, chat, use);
  if (picked === undefined) return;
  await profiles.select(name);
  if (picked === chat) await vscode.commands.executeCommand(commandIds.newChat);
}

async function askName(url: string, proposal: string, taken: readonly string[]): Promise<string | undefined> {
  const text = await showInputBox({
    title: vscode.l10n.t("Save {0} as a profile", url),
    prompt: vscode.l10n.t("Name of the profile"),
    value: proposal,
    ignoreFocusOut: true,
    validateInput(value) {
      const { name, problem } = readProfileName(value);
      if (name === undefined) return vscode.l10n.t("The profile {0}.", problem);
      return taken.includes(name) ? vscode.l10n.t("There is a profile of this name already.") : undefined;
    },
  });
  return text?.trim();
}
