import * as vscode from "vscode";
import { isRefusal } from "../../core/account/credentialState.ts";
import { escapeCodicons, sanitizeLabel, inertText } from "../../core/kernel/foreignText.ts";
import { sshCommand, sshTargetOf } from "../../core/servers/connect/sshTarget.ts";
import { webAddresses } from "../../core/servers/connect/webAddresses.ts";
import { recordFields, maskedFields } from "../../core/servers/details/recordFields.ts";
import type { RecordField } from "../../core/servers/details/recordFields.ts";
import { mappedFields } from "../../core/servers/fieldMapping.ts";
import type { Server } from "../../core/servers/server.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import type { ServerAnnotation } from "../../core/servers/marks/serverAnnotation.ts";
import type { PortRow, ServerRow, TreeRow } from "../../core/servers/tree/rows.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { CommandName } from "../shell/commandIds.ts";
import { openOwnTerminal } from "../shell/ownMachine.ts";
import { showMarkdown } from "../shell/textDocuments.ts";
import {
  setStatusBarMessage,
  showInformationMessage,
  showQuickPick,
  showWarningMessage,
  withProgress,
} from "../shell/window.ts";
import { arrangeActions } from "./arrangeActions.ts";
import { chooseServer } from "./chooseServer.ts";
import { jobActions, onJob } from "./jobs/jobActions.ts";
import { remotePlaceOf } from "./connect/remotePlace.ts";
import { chooseSshServer, maySsh } from "./connect/sshChoice.ts";
import { serversViewId } from "./serversHost.ts";
import type { ServersView } from "./serversView.ts";

const mappingSetting = "servers.fieldMapping";

/** An action on servers. It is called with a row, or without one from the palette. */
type ServerAction = (serversView: ServersView, row?: TreeRow) => Promise<void> | void;

/** An action on the server of the row, or on one that the user picks from those that it suits. */
function onServer(
  run: (chosen: ServerRow, serversView: ServersView) => Promise<unknown>,
  suits?: Parameters<typeof chooseServer>[2],
): ServerAction {
  return async (serversView, row) => {
    const chosen = await chooseServer(serversView, row, suits);
    if (chosen !== undefined) await run(chosen, serversView);
  };
}

/** The actions on a server's record. */
const recordActions = {
  showServerDetails: onServer((chosen, { records }) => showMarkdown(records.detailsUri(chosen))),
  showServerRecord: onServer((chosen, { records }) => records.show(chosen)),
  revealServerSecret: onServer(
    async ({ server: { record } }) => {
      const items = maskedFields(record).map((field) => ({ label: escapeCodicons(field.pointer), field }));
      const placeHolder = vscode.l10n.t("Select the masked field to reveal once");
      const picked = await showQuickPick(items, { placeHolder });
      if (picked !== undefined) await reveal(picked.field);
    },
    ({ record }) => maskedFields(record).length > 0,
  ),
  mapServerField,
};

/** Shows a single value in a dialog, which is neither logged nor stored. */
async function reveal({ pointer, value }: RecordField): Promise<void> {
  const copy = vscode.l10n.t("Copy");
  const detail = sanitizeLabel(value, 4_000);
  const picked = await showInformationMessage(pointer, { modal: true, detail }, copy);
  if (picked === copy) await vscode.env.clipboard.writeText(sanitizeLabel(value, 100_000));
}

/** Asks which field contains which fact, offering the fields of the last response, and writes that to the setting. */
async function mapServerField(serversView: ServersView): Promise<void> {
  const servers = serversView.rows.servers.slice(0, 50).map(({ server }) => server);
  const fields = mappedFields.filter((name) => name !== "list").map((name) => ({ label: name, name }));
  const placeHolderOfField = vscode.l10n.t("Select the property to map to another field");
  const field = (await showQuickPick(fields, { placeHolder: placeHolderOfField }))?.name;
  if (field === undefined) return;
  const examples = new Map<string, string>();
  for (const { record } of servers) {
    for (const { pointer, value } of recordFields(record)) {
      if (!examples.has(pointer)) examples.set(pointer, sanitizeLabel(value, 60));
    }
  }
  const reset = vscode.l10n.t("Reset to automatic detection");
  const items = [
    { label: reset, pointer: undefined },
    ...[...examples].map(([pointer, example]) => ({
      label: escapeCodicons(pointer),
      description: example,
      pointer,
    })),
  ];
  const placeHolder = vscode.l10n.t("Field in the last response: {0}", field);
  const picked = await showQuickPick(items, { placeHolder, matchOnDescription: true });
  if (picked === undefined) return;
  const configuration = vscode.workspace.getConfiguration("inferenceGateway");
  const before: unknown = configuration.inspect(mappingSetting)?.globalValue;
  const mapping = { ...(typeof before === "object" ? before : {}), [field]: picked.pointer };
  await configuration.update(mappingSetting, mapping, vscode.ConfigurationTarget.Global);
}

/** The ways to connect to a server that its record provides. */
const connectActions = {
  async openSshTerminal(serversView, row) {
    const chosen = await chooseSshServer(serversView, row);
    if (chosen === undefined || !(await maySsh(chosen))) return;
    const terminal = openOwnTerminal(inertText(`SSH ${serverName(chosen.server)}`, 100));
    const place = await remotePlaceOf(serversView, chosen);
    if (place !== undefined) terminal.sendText(sshCommand(place.target, place.keyAlias));
  },
  openRemoteSsh: onServer(
    async (chosen, view) => (await loadRemoteSsh()).openRemoteSsh(view, chosen),
    mayOpen,
  ),
  openRecentFolder: onServer(
    async (chosen, view) => (await loadRemoteSsh()).openRecentFolder(view, chosen),
    mayOpen,
  ),
  removeSshHosts: async (serversView) => (await loadRemoteSsh()).removeSshHosts(serversView),
  uploadToServer: async (serversView, row) => (await import("./files/upload.ts")).uploadTo(serversView, row),
  downloadFromServer: async (serversView, row) =>
    (await import("./files/download.ts")).downloadFrom(serversView, row),
  serveModel: async (serversView, row) =>
    (await import("./serve/serveModel.ts")).serveModel(serversView, row),
  useRunningModel: async (serversView, row) =>
    (await import("./serve/serveModel.ts")).useRunningModel(serversView, row),
  chatWithServedModel: onJob(async (serversView, row) =>
    (await loadServeJob()).chatWithServed(serversView, row),
  ),
  copyModelEndpoint: onJob(async (serversView, row) =>
    (await loadServeJob()).copyModelEndpoint(serversView, row),
  ),
  stopServing: onJob(async (serversView, row) => (await loadServeJob()).stopServing(serversView, row)),
  openServerPage,
  forwardPort: async (serversView, row) => (await loadPorts()).forwardPort(serversView, row),
  openForwardedPort: onPort(async (port) => (await loadPorts()).openInBrowser(port)),
  copyForwardedAddress: onPort(async (port) => (await loadPorts()).copyAddress(port)),
  stopForwardingPort: onPort((port, serversView) => serversView.tunnels?.stop(port)),
} satisfies Record<string, ServerAction>;

const loadRemoteSsh = () => import("./connect/openRemoteSsh.ts");
const loadServeJob = () => import("./serve/serveJob.ts");
const loadPorts = () => import("./connect/forwardPort.ts");

function onPort(run: (port: PortRow, serversView: ServersView) => Promise<void> | void): ServerAction {
  return async (serversView, row) => {
    const port = await (await loadPorts()).choosePort(serversView, row);
    if (port !== undefined) await run(port, serversView);
  };
}

/** Whether a server can be reached over SSH, possibly once it is started. */
function mayOpen(server: Server, { actionFacts }: ServerRow): boolean {
  return sshTargetOf(server) !== undefined || actionFacts?.includes("canStart") === true;
}

/**
 * The address is always shown with the field that contains it. If it leads to a different site, the user is asked as
 * well.
 */
async function openServerPage(serversView: ServersView, row?: TreeRow): Promise<void> {
  const chosen = await chooseServer(serversView, row, (server) => webAddresses(server).length > 0);
  if (chosen === undefined) return;
  const items = webAddresses(chosen.server).map((address) => ({
    label: escapeCodicons(address.url),
    description: escapeCodicons(sanitizeLabel(address.source, 80)),
    address,
  }));
  const picked = await showQuickPick(items, {
    title: serverName(chosen.server),
    placeHolder: vscode.l10n.t("Address to open in the browser"),
    matchOnDescription: true,
  });
  if (picked === undefined) return;
  const { url, source, isElsewhere } = picked.address;
  if (isElsewhere && !(await mayOpenElsewhere(url, sanitizeLabel(source, 80)))) return;
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}

async function mayOpenElsewhere(url: string, source: string): Promise<boolean> {
  const open = vscode.l10n.t("Open in Browser");
  const message = vscode.l10n.t("Open an address on a different host?");
  const detail = vscode.l10n.t("{0}\n\nReported only by the field {1} of the server's record.", url, source);
  return (await showWarningMessage(message, { modal: true, detail }, open)) === open;
}

const marking = (change: ServerAnnotation): ServerAction =>
  onServer((chosen, serversView) => serversView.mark(chosen, change));

/** How the user marks a server. It stays on this machine and is never sent. */
const markActions = {
  pinServer: marking({ isPinned: true }),
  unpinServer: marking({ isPinned: false }),
  watchServer: onServer(async (chosen, serversView) => {
    await serversView.mark(chosen, { isWatched: true, isMuted: false });
    serversView.gpu?.attend(chosen);
    // Jobs that were started from another machine are found.
    await serversView.jobs.look(chosen);
  }),
  unwatchServer: marking({ isWatched: false }),
  muteServer: marking({ isMuted: true }),
  unmuteServer: marking({ isMuted: false }),
};

/** The actions on servers, by the names of their commands. */
export const serverActions: { readonly [N in CommandName<"serverActions">]: ServerAction } = {
  ...arrangeActions,
  ...markActions,
  refreshServers,
  ...connectActions,
  ...jobActions,
  ...recordActions,
  copyServer: onServer(async ({ server }) => {
    const target = sshTargetOf(server);
    const address =
      server.isPrivateAddress === true ? vscode.l10n.t("Private address") : vscode.l10n.t("Address");
    const items = [
      { label: address, value: server.address?.value },
      { label: vscode.l10n.t("SSH Command"), value: target && sshCommand(target) },
      { label: vscode.l10n.t("Name"), value: server.name?.value },
      { label: vscode.l10n.t("ID"), value: server.id?.value },
    ].flatMap(({ label, value }) =>
      value === undefined ? [] : [{ label, description: inertText(value, 200), value }],
    );
    const picked = await showQuickPick(items, { title: vscode.l10n.t("Copy") });
    if (picked === undefined) return;
    await vscode.env.clipboard.writeText(sanitizeLabel(picked.value, 2_000));
    setStatusBarMessage(vscode.l10n.t("{0} copied", picked.label), 3_000);
  }),
  async setPrices(serversView: ServersView, row?: TreeRow): Promise<void> {
    const { setPrices } = await import("./setPrices.ts");
    await setPrices(serversView, row?.kind === "server" ? row.profileName : undefined);
  },
};

/** Requests the lists now. Errors are shown because the user requested them. */
async function refreshServers(serversView: ServersView, row?: TreeRow): Promise<void> {
  const profileName =
    row?.kind === "profile"
      ? row.section.profileName
      : row?.kind === "notice" && serversView.lists.sections.length > 1
        ? row.profileName
        : undefined;
  if (!serversView.isSeen) await vscode.commands.executeCommand(`${serversViewId}.focus`);
  await withProgress({ location: { viewId: serversViewId } }, () => serversView.refresh(profileName));
  const failed = serversView.lists.sections.find(
    (section) =>
      section.snapshot.error !== undefined &&
      (profileName === undefined ? section.isActive : section.profileName === profileName),
  );
  // A refused credential is reported separately, whichever request failed.
  if (failed?.snapshot.error === undefined || isRefusal(failed.snapshot.error)) return;
  const showLog = vscode.l10n.t("Show Log");
  void showWarningMessage(failed.snapshot.error.message, showLog).then((picked) => {
    if (picked === showLog) void vscode.commands.executeCommand(commandIds.showLog);
  });
}
