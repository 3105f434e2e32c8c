import * as vscode from "vscode";
import { readProfileName } from "../../../core/account/parseProfiles.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { endpointProfile, freeProfileName } from "../../../core/servers/connect/modelEndpoint.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { showInformationMessage, showInputBox } from "../../shell/window.ts";
import { useEndpoint } from "../serve/findModels.ts";
import type { ServersView } from "../serversView.ts";
import type { ServersContext } from "../serversHost.ts";
import { askTarget, askWay, checkEndpoint, putEndpoint } from "./askEndpoint.ts";
import type { CheckedEndpoint } from "./askEndpoint.ts";

/** Creates a profile for the models that run on a server, once they have been found there. */
export async function useModelEndpoint(serversView: ServersView, row: ServerRow): Promise<void> {
  const { context } = serversView;
  const { server } = row;
  const name = freeProfileName(serverName(server), context.profiles.names);
  const title = vscode.l10n.t("Model Endpoint of {0}", serverName(server));
  const canTunnel = sshTargetOf(server) !== undefined;
  for (;;) {
    const target = await askTarget(server, title);
    const way = target === undefined ? undefined : await askWay(target, canTunnel, title);
    if (way === undefined) return;
    if (way.kind === "tunnel") {
      // Later windows find the way, too. Whose program listens on the port isn't known.
      const endpoint = { port: way.port, owner: "", isOwn: false, isSystem: false };
      if ((await useEndpoint(serversView, row, endpoint, undefined)) !== "otherPlace") return;
    } else {
      const checked = await checkEndpoint(context, name, way.url);
      if (checked === undefined) return;
      if (checked !== "otherPlace") return saveEndpoint(context, name, way.url, checked);
    }
  }
}

async function saveEndpoint(
  context: ServersContext,
  proposal: string,
  url: string,
  { modelCount, credential }: CheckedEndpoint,
): Promise<void> {
  const { profiles } = context;
  const known = profiles.all.find(({ inferenceBaseUrl }) => inferenceBaseUrl === url);
  const name = known?.name ?? (await askName(url, proposal, profiles.names));
  if (name === undefined) return;
  await putEndpoint(context, known === undefined ? endpointProfile(name, url) : { name }, credential);
  const use = vscode.l10n.t("Use Profile");
  const chat = vscode.l10n.t("Use in New Chat");
  const message =
    modelCount === undefined
      ? vscode.l10n.t("The profile “{0}” was saved. Its models haven't been loaded yet.", name)
      : vscode.l10n.t("The profile “{0}” is ready. Models: {1}.", name, formatNumber(modelCount));
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
      if (name === undefined) return problem;
      return taken.includes(name) ? vscode.l10n.t("A profile with this name already exists.") : undefined;
    },
  });
  return text?.trim();
}
