import * as vscode from "vscode";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { costlyServers } from "../../core/servers/cost/costStatus.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import { rowFacts } from "../../core/servers/tree/rows.ts";
import type { ServerRow } from "../../core/servers/tree/rows.ts";
import { commandIds } from "../shell/commandIds.ts";
import { replaceItems } from "../shell/pickItem.ts";
import { runServerAction } from "./chooseServer.ts";
import { hasRemoteSsh } from "./connect/remoteSsh.ts";
import { runningFacts } from "./costStatusBar.ts";
import type { ServersView } from "./serversView.ts";

/** A button at a server, with the command that it runs. */
interface CommandButton extends vscode.QuickInputButton {
  readonly command: string;
}

interface RunningItem extends vscode.QuickPickItem {
  readonly buttons?: readonly CommandButton[];
  /** Called when the item is chosen. */
  run?(): Thenable<unknown>;
  readonly row?: ServerRow;
}

/** Shows the servers that cost something, idle ones first, with what can be done about it. */
export function showRunningServers(serversView: ServersView, extension: vscode.Extension<unknown>): void {
  const picker = vscode.window.createQuickPick<RunningItem>();
  picker.title = vscode.l10n.t("Running Servers");
  picker.placeholder = vscode.l10n.t("Select a server to see what you can do with it");
  picker.matchOnDescription = true;
  const show = (): void =>
    replaceItems(picker, runningItems(serversView, extension), ({ row, label }) => row?.id ?? label);
  const unsubscribe = serversView.onDidPaint(show);
  show();
  picker.onDidTriggerItemButton(({ item, button }) => {
    const { command } = item.buttons?.find((each) => each === button) ?? {};
    if (command === undefined) return;
    picker.hide();
    void vscode.commands.executeCommand(command, item.row);
  });
  picker.onDidAccept(() => {
    const [item] = picker.selectedItems;
    picker.hide();
    void item?.run?.();
  });
  picker.onDidHide(() => {
    unsubscribe();
    picker.dispose();
  });
  picker.show();
}

function runningItems(
  serversView: ServersView,
  extension: vscode.Extension<unknown>,
): readonly RunningItem[] {
  const servers = costlyServers(runningFacts(serversView));
  const isOne = serversView.lists.sections.length <= 1;
  const items = servers.flatMap(({ profileName, server, doing, price }): readonly RunningItem[] => {
    const row = serversView.rows.find(profileName, server.key);
    if (row === undefined) return [];
    const facts = [doing, price || vscode.l10n.t("no price"), isOne ? "" : profileName];
    return [
      {
        label: escapeCodicons(serverName(server)),
        description: facts.filter((fact) => fact !== "").join(" · "),
        buttons: buttonsOf(row),
        run: () => runServerAction(serversView, extension, row),
        row,
      },
    ];
  });
  const isLoading = serversView.lists.sections.some(
    ({ snapshot: { state, isRefreshing }, nextTryAt }) =>
      state === "loading" && (isRefreshing || nextTryAt !== undefined),
  );
  const nothing = {
    label: isLoading ? vscode.l10n.t("Loading servers…") : vscode.l10n.t("No server is running"),
  };
  return [
    ...(items.length === 0 ? [nothing] : items),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(tag) ${vscode.l10n.t("Set Prices…")}`,
      run: () => vscode.commands.executeCommand(commandIds.setPrices),
    },
    {
      label: `$(graph) ${vscode.l10n.t("Open Costs")}`,
      run: () => vscode.commands.executeCommand(commandIds.showUsage),
    },
  ];
}

function buttonsOf(row: ServerRow): readonly CommandButton[] {
  const facts = rowFacts(row);
  const button = (icon: string, tooltip: string, command: string): CommandButton => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
    command,
  });
  const open = hasRemoteSsh()
    ? button("remote", vscode.l10n.t("Open with Remote-SSH"), commandIds.openRemoteSsh)
    : button("terminal", vscode.l10n.t("Open SSH Session in Terminal"), commandIds.openSshTerminal);
  return [
    ...(facts.includes("canStop")
      ? [button("stop-circle", vscode.l10n.t("Stop Server…"), commandIds.stopServer)]
      : []),
    ...(facts.includes("hasSsh") ? [open] : []),
  ];
}
