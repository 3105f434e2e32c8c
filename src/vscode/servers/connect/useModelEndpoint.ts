import * as vscode from "vscode";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { readProfileName } from "../../../core/account/parseProfiles.ts";
import { inertText } from "../../../core/kernel/foreignText.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import {
  endpointProfile,
  endpointUrl,
  freeProfileName,
  tunnelCommand,
} from "../../../core/servers/connect/modelEndpoint.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { urlHost } from "../../../core/servers/connect/webAddresses.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { TreeRow, ServerRow } from "../../../core/servers/tree/rows.ts";
import { checkPort } from "../../../gateway/http/checkPort.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { openOwnTerminal } from "../../shell/ownMachine.ts";
import {
  showInformationMessage,
  showInputBox,
  showWarningMessage,
  withProgress,
} from "../../shell/window.ts";
import { chooseServer } from "../chooseServer.ts";
import type { ServersView } from "../serversView.ts";
import type { ServersContext } from "../serversHost.ts";
import { askTarget, askWay, checkEndpoint } from "./askEndpoint.ts";
import type { CheckedEndpoint } from "./askEndpoint.ts";
import { maySsh } from "./sshChoice.ts";
import type { SshChoice } from "./sshChoice.ts";

const host = "127.0.0.1";
const pauseMs = 500;
const attemptMs = 2_000;

/**
 * Runs ssh in a terminal, where it can prompt for what it needs, and waits until the port is open. Resolves with the
 * port on this machine. Undefined if the user cancels or ssh exits, which is reported.
 */
async function openTunnel(choice: SshChoice, serverPort: number): Promise<number | undefined> {
  if (!(await maySsh(choice))) return undefined;
  const localPort = (await freePort(serverPort)) ?? (await freePort(0));
  if (localPort === undefined) return undefined;
  const name = inertText(
    vscode.l10n.t("Tunnel {0}:{1}", serverName(choice.row.server), String(serverPort)),
    100,
  );
  const terminal = openOwnTerminal(name);
  terminal.sendText(tunnelCommand(choice.target, localPort, serverPort));
  const title = vscode.l10n.t("Waiting for the SSH tunnel. Respond to any ssh prompts in the terminal…");
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const outcome = await withProgress(options, (_, token) => waitForPort(localPort, terminal, token));
  if (outcome === "ended") {
    const message = vscode.l10n.t("ssh exited before the tunnel opened. See its terminal for details.");
    void showWarningMessage(message, { modal: true });
  }
  return outcome === "open" ? localPort : undefined;
}

/** `ended` if ssh exited, provided that the shell reports it, or its terminal was closed. */
async function waitForPort(
  port: number,
  terminal: vscode.Terminal,
  token: vscode.CancellationToken,
): Promise<"open" | "ended" | "canceled"> {
  const { signal } = new AbortController();
  let hasEnded = false;
  const subscription = vscode.window.onDidEndTerminalShellExecution((event) => {
    hasEnded ||= event.terminal === terminal;
  });
  try {
    while (!token.isCancellationRequested) {
      if ((await checkPort(host, port, attemptMs, signal)) === "open") return "open";
      if (hasEnded || terminal.exitStatus !== undefined) return "ended";
      await sleep(pauseMs);
    }
    return "canceled";
  } finally {
    subscription.dispose();
  }
}

/** The port if it is free on this machine, or any free port for 0. Undefined if it is taken. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      const free = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(free));
    });
  });
}

/** Creates a profile for the models that run on a server, once they have been found there. */
export async function useModelEndpoint(serversView: ServersView, row?: TreeRow): Promise<void> {
  const chosen = await chooseServer(
    serversView,
    row,
    ({ address }) => urlHost(address?.value ?? "") !== undefined,
  );
  if (chosen === undefined) return;
  const { context } = serversView;
  const name = freeProfileName(serverName(chosen.server), context.profiles.names);
  for (;;) {
    const url = await findUrl(chosen);
    if (url === undefined) return;
    const checked = await checkEndpoint(context, name, url);
    if (checked === undefined) return;
    if (checked !== "otherPlace") return saveEndpoint(context, name, url, checked);
  }
}

/** The base URL that the user chooses, with its tunnel open if it needs one. */
async function findUrl(row: ServerRow): Promise<string | undefined> {
  const { server } = row;
  const title = vscode.l10n.t("Model Endpoint of {0}", serverName(row.server));
  const target = sshTargetOf(server);
  const endpoint = await askTarget(server, title);
  const way = endpoint === undefined ? undefined : await askWay(endpoint, target !== undefined, title);
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
