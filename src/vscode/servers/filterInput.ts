import * as vscode from "vscode";
import type { FilterSubject } from "../../core/servers/serverProperties.ts";
import { filterCompletions } from "../../core/servers/filter/filterCompletions.ts";
import { inertItem } from "../shell/window.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import { countText, rowDescription, shownText } from "../../core/servers/tree/rowLabels.ts";
import { subjectsOf } from "../../core/servers/tree/rows.ts";
import type { ServersView } from "./serversView.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";

interface FilterItem extends vscode.QuickPickItem {
  /** The filter that results from this choice. */
  readonly filter: string;
  /** Whether choosing it closes the input. */
  readonly isFinal: boolean;
}

const maxPreview = 20;

/**
 * Asks for a filter. The tree immediately shows what matches, with completions below the input. Escape restores the
 * previous filter.
 */
export async function askFilter(serversView: ServersView): Promise<void> {
  if (!serversView.view.visible) await vscode.commands.executeCommand("inferenceGateway.servers.focus");
  const before = serversView.arrangement;
  const input = vscode.window.createQuickPick<FilterItem>();
  let isAccepted = false;
  const subjects = subjectsOf(serversView.lists.sections);
  const update = (): void => {
    serversView.arrange({ ...before, filter: input.value.trim() }, true);
    input.items = createItems(serversView, subjects, input.value).map(inertItem);
  };
  input.title = vscode.l10n.t("Filter Servers");
  input.placeholder = vscode.l10n.t("For example {0}", "status:running gpu:h100,h200 gpus:>4 -region:us");
  input.value = before.filter === "" ? "" : `${before.filter} `;
  input.onDidChangeValue(update);
  input.onDidAccept(() => {
    const [picked] = input.selectedItems;
    if (picked !== undefined && !picked.isFinal) {
      input.value = picked.filter;
      update();
      return;
    }
    isAccepted = true;
    serversView.arrange({ ...before, filter: input.value.trim() });
    input.hide();
  });
  await new Promise<void>((resolve) => {
    input.onDidHide(resolve);
    update();
    input.show();
  });
  input.dispose();
  if (!isAccepted) serversView.arrange(before, true);
}

function createItems(
  serversView: ServersView,
  subjects: readonly FilterSubject[],
  text: string,
): FilterItem[] {
  const { servers } = serversView.rows;
  const filter = text.trim();
  const item = (label: string, description: string, own?: string): FilterItem => {
    return { label, description, alwaysShow: true, filter: own ?? filter, isFinal: own === undefined };
  };
  const count = shownText(servers.length, { count: subjects.length, hasMore: false });
  const all = filter === "" ? vscode.l10n.t("$(list-flat) Show all servers") : `$(filter) ${filter}`;
  const completions = filterCompletions(text, subjects).map((found) => {
    const description = found.count === undefined ? "" : countText(found.count);
    return item(escapeCodicons(found.label), description, found.filter);
  });
  const preview = servers
    .slice(0, maxPreview)
    .map((row) => item(escapeCodicons(serverName(row.server)), rowDescription(row)));
  return [
    item(all, count),
    separator(vscode.l10n.t("Completions")),
    ...completions,
    separator(vscode.l10n.t("Servers")),
    ...preview,
  ];
}

function separator(label: string): FilterItem {
  return { label, kind: vscode.QuickPickItemKind.Separator, filter: "", isFinal: false };
}
