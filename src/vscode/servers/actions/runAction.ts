import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { ServiceError, logFailure } from "../../../core/kernel/errors.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { expectedText, changeTimeoutMs, expectChange } from "../../../core/servers/actions/expectedChange.ts";
import { fillAction, fillConsole } from "../../../core/servers/actions/fillAction.ts";
import { actionDetail } from "../../../core/servers/actions/runningThings.ts";
import type { RunningReport, RunningThings } from "../../../core/servers/actions/runningThings.ts";
import type { ActionKind, ServerAction } from "../../../core/servers/actions/serverAction.ts";
import { offeredActions } from "../../../core/servers/actions/profileActions.ts";
import { parametersText } from "../../../core/servers/actions/signedRequest.ts";
import type { SignedRequestDraft } from "../../../core/servers/actions/signedRequest.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow, TreeRow } from "../../../core/servers/tree/rows.ts";
import { openConsole } from "../../account/credentials/openConsole.ts";
import type { CommandName } from "../../shell/commandIds.ts";
import { openLink } from "../../shell/openLink.ts";
import {
  fitsDialog,
  showErrorMessage,
  showQuickPick,
  showWarningMessage,
  withProgress,
} from "../../shell/window.ts";
import { chooseServer } from "../chooseServer.ts";
import { serversViewId } from "../serversHost.ts";
import type { ServersView } from "../serversView.ts";
import { setUpActions } from "./setUpActions.ts";

const patienceMs = 5_000;
/** Milliseconds between two requests of the list while a change is expected. */
const followMs = [2_000, 3_000, 5_000, 5_000, 10_000, 20_000, 30_000] as const;

type PowerAction = (serversView: ServersView, row?: TreeRow) => Promise<void>;

/** The commands for the actions of a profile, by their names. */
export const powerActions: { readonly [N in CommandName<"power">]: PowerAction } = {
  startServer: (serversView, row) => runAction(serversView, "start", row),
  stopServer: (serversView, row) => runAction(serversView, "stop", row),
  rebootServer: (serversView, row) => runAction(serversView, "reboot", row),
  runServerAction: (serversView, row) => runAction(serversView, "other", row),
  openServerConsole,
  setUpServerActions: setUpActions,
};

/** Runs an action of this kind on the server of the row, or on one that the user picks. */
export async function runAction(serversView: ServersView, kind: ActionKind, row?: TreeRow): Promise<void> {
  await (
    await confirmLater(serversView, kind, row)
  )?.();
}

/** What the dialog asks and explains about an action that runs later. */
interface LaterWords {
  readonly question: string;
  readonly button: string;
  readonly note: string;
}

/** Asks whether to run an action, and resolves with what runs it; undefined if the user doesn't want it. */
export async function confirmLater(
  serversView: ServersView,
  kind: ActionKind,
  row?: TreeRow,
  words?: LaterWords,
): Promise<(() => Promise<void>) | undefined> {
  const { actionStore, lists } = serversView;
  const offered = ({ profileName, server }: ServerRow): readonly ServerAction[] =>
    offeredActions(actionStore.of(profileName), server, Date.now()).filter((action) => action.kind === kind);
  const hasAny = lists.sections.some(({ actions }) => actions !== undefined && actions.actions.length > 0);
  if (!hasAny) return void (await setUpActions(serversView, row));
  const chosen = await chooseServer(serversView, row, (_, candidate) => offered(candidate).length > 0);
  const action = chosen && (await chooseAction(offered(chosen), chosen, kind));
  const profile = chosen && serversView.context.profiles.find(chosen.profileName);
  if (chosen === undefined || action === undefined || profile === undefined) return undefined;
  // The row is updated with the list, and what was confirmed must be what is sent.
  const target = { ...chosen };
  const filled = fillAction(action, target.server);
  if ("problem" in filled) return void showWarningMessage(filled.problem);
  const requested = { action, row: target, profile, draft: filled.draft };
  if (!(await confirmAction(serversView, requested, words))) return undefined;
  return async () => {
    if (isStillThere(serversView, target, action)) await sendAction(serversView, requested);
  };
}

interface RequestedAction {
  readonly action: ServerAction;
  readonly row: ServerRow;
  readonly profile: Profile;
  readonly draft: SignedRequestDraft;
}

async function chooseAction(
  offered: readonly ServerAction[],
  row: ServerRow,
  kind: ActionKind,
): Promise<ServerAction | undefined> {
  if (offered.length === 1 && kind !== "other") return offered[0];
  const items = offered.map((action) => ({
    label: escapeCodicons(action.name),
    ...(action.billing === undefined ? {} : { description: escapeCodicons(action.billing) }),
    action,
  }));
  const placeHolder = vscode.l10n.t("Select an action for {0}", serverName(row.server));
  return (await showQuickPick(items, { placeHolder }))?.action;
}

/** Whatever ends or deletes something is confirmed, and says what runs there. Starting only costs what the row shows. */
async function confirmAction(
  serversView: ServersView,
  asked: RequestedAction,
  words?: LaterWords,
): Promise<boolean> {
  const { action, row, profile, draft } = asked;
  const { kind } = action;
  const isPlain = kind === "start" && action.confirmation === undefined && profile.production !== true;
  if (isPlain && words === undefined) return true;
  const reports =
    kind === "start"
      ? undefined
      : await withProgress({ location: { viewId: serversViewId } }, () =>
          askWhatRuns(serversView.runningThings, row),
        );
  const query = draft.parameters.length === 0 ? "" : `?${parametersText(draft.parameters)}`;
  const request = `${draft.method} ${profile.gatewayUrl ?? ""}${draft.path}${query}`;
  const body = draft.body === undefined ? "" : `\n${draft.body}`;
  const described = actionDetail(action, row.server, {
    profileName: profile.name,
    request: `${request}${body}`,
    reports,
    now: Date.now(),
  });
  const detail = words === undefined ? described : `${words.note}\n\n${described}`;
  const { question, button } = { ...wordsOf(action, row), ...words };
  if (!fitsDialog(detail)) {
    void showWarningMessage(
      vscode.l10n.t("“{0}” can't be sent: it is too long to be confirmed.", action.name),
    );
    return false;
  }
  const production = profile.production === true ? [vscode.l10n.t("Production"), detail].join(" · ") : detail;
  return (await showWarningMessage(question, { modal: true, detail: production }, button)) === button;
}

/** What all sources report, within some seconds: nobody waits longer for a dialog. */
async function askWhatRuns(
  sources: readonly RunningThings[],
  row: ServerRow,
): Promise<readonly RunningReport[]> {
  const failed = { problem: vscode.l10n.t("The server couldn't be reached.") };
  const late = { problem: vscode.l10n.t("The server took too long to respond.") };
  const reports = sources.map(async (source) => {
    const patience = new AbortController();
    const waited = wait(patienceMs, late, { signal: patience.signal, ref: false });
    return Promise.race([source(row).catch(() => failed), waited]).finally(() => patience.abort());
  });
  return (await Promise.all(reports)).filter((report) => report !== undefined);
}

function wordsOf(
  { kind, name }: ServerAction,
  { server }: ServerRow,
): { readonly question: string; readonly button: string } {
  const shown = serverName(server);
  switch (kind) {
    case "start":
      return { question: vscode.l10n.t("Start {0}?", shown), button: vscode.l10n.t("Start Server") };
    case "stop":
      return { question: vscode.l10n.t("Stop {0}?", shown), button: vscode.l10n.t("Stop Server") };
    case "reboot":
      return { question: vscode.l10n.t("Reboot {0}?", shown), button: vscode.l10n.t("Reboot Server") };
    case "other":
      return { question: vscode.l10n.t("{0}: {1}?", shown, name), button: name };
  }
}

/** While the dialog was open, the list may have changed, and another window may have sent the same. */
function isStillThere(
  serversView: ServersView,
  { profileName, key, server }: ServerRow,
  { kind, name }: ServerAction,
): boolean {
  const now = serversView.rows.find(profileName, key)?.server;
  const offered =
    now === undefined ? [] : offeredActions(serversView.actionStore.of(profileName), now, Date.now());
  const isSame =
    now?.id?.value === server.id?.value && offered.some((each) => each.kind === kind && each.name === name);
  const twins = serversView.lists
    .find(profileName)
    ?.current.servers.filter(({ id }) => id?.value === server.id?.value);
  if (isSame && twins?.length === 1) return true;
  void showWarningMessage(
    vscode.l10n.t(
      "Nothing was sent: {0} has changed in the meantime, or isn't the only server with its ID.",
      serverName(server),
    ),
  );
  return false;
}

async function sendAction(
  serversView: ServersView,
  { action, row, profile, draft }: RequestedAction,
): Promise<void> {
  const { context, actionStore } = serversView;
  const { profileName, key, server } = row;
  const isFollowed = action.kind !== "other" || action.doneWhen.length > 0;
  // Set first, so that the row offers nothing while the request is on its way.
  if (isFollowed) actionStore.expect(profileName, key, expectChange(action, server, Date.now()));
  serversView.repaint();
  const problem = await withProgress({ location: { viewId: serversViewId } }, async () => {
    try {
      return (await context.clients.sendSigned(profile, draft, new AbortController().signal)).problem;
    } catch (error) {
      logFailure(context.log, error);
      // It may have arrived, which only the list can show.
      if (error instanceof ServiceError && error.reason === "timeout") return undefined;
      return error instanceof ServiceError
        ? error.message
        : vscode.l10n.t("The request couldn't be sent. See the log for details.");
    }
  });
  context.log.info(`${action.kind} requested: ${draft.method} ${draft.path}`);
  if (problem === undefined) {
    if (isFollowed) followList(serversView, profileName);
    return;
  }
  actionStore.expect(profileName, key, undefined);
  serversView.repaint();
  void serversView.refresh(profileName);
  await offerConsole(
    serversView,
    row,
    showErrorMessage,
    vscode.l10n.t("“{0}” failed for {1}: {2}", action.name, serverName(server), problem),
  );
}

/** Requests the list often while a change is expected, and reports a change that it doesn't show in time. */
function followList(serversView: ServersView, profileName: string, step = 0): void {
  const wait = followMs[Math.min(step, followMs.length - 1)] ?? changeTimeoutMs;
  setTimeout(() => {
    void serversView.refresh(profileName).then(() => {
      if (serversView.actionStore.isWaiting(profileName)) followList(serversView, profileName, step + 1);
      else reportLate(serversView, profileName);
    });
  }, wait).unref();
}

function reportLate(serversView: ServersView, profileName: string): void {
  for (const row of serversView.rows.servers)
    if (row.profileName === profileName && row.actionFacts?.includes("late") === true)
      void reportLateRow(serversView, row);
}

async function reportLateRow(serversView: ServersView, row: ServerRow): Promise<void> {
  const change = serversView.actionStore.of(row.profileName).changes.get(row.key);
  if (change === undefined) return;
  const again = vscode.l10n.t("Try Again");
  const text = `${serverName(row.server)}: ${expectedText(change, row.server, Date.now())}`;
  const picked = await offerConsole(serversView, row, showWarningMessage, text, again);
  if (picked === again) await runAction(serversView, change.kind, row);
}

/** Shows a message with a link to the server's page, if that is known. */
async function offerConsole(
  serversView: ServersView,
  row: ServerRow,
  show: typeof showWarningMessage,
  text: string,
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const open = vscode.l10n.t("Open in Console");
  const picked = await show(
    text,
    ...buttons,
    ...(row.actionFacts?.includes("hasConsole") === true ? [open] : []),
  );
  if (picked === open) await openServerConsole(serversView, row);
  return picked;
}

/** Opens the server's page in the console, or the console itself if the profile has no link to the page. */
async function openServerConsole(serversView: ServersView, row?: TreeRow): Promise<void> {
  const { actionStore, context } = serversView;
  const chosen = await chooseServer(
    serversView,
    row,
    (_, { profileName }) => actionStore.of(profileName).hasConsole,
  );
  if (chosen === undefined) return;
  const template = actionStore.consoleOf(chosen.profileName);
  const link = template === undefined ? undefined : fillConsole(template, chosen.server);
  if (link === undefined) await openConsole(context.profiles.find(chosen.profileName));
  else await openLink(link);
}
