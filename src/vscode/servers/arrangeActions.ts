import * as vscode from "vscode";
import type { Arrangement } from "../../core/servers/arrange/groupServers.ts";
import {
  serverGroupings,
  putView,
  sortings,
  describeArrangement,
  serverGroupingLabel,
  sortingLabel,
} from "../../core/servers/arrange/groupServers.ts";
import type { ServersView } from "./serversView.ts";
import { askFilter } from "./filterInput.ts";
import { inertItem, showInputBox, showQuickPick } from "../shell/window.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";

/** How the servers are shown. */
export const arrangeActions = {
  async filterServers(serversView: ServersView): Promise<void> {
    await askFilter(serversView);
  },
  clearServerFilter(serversView: ServersView): void {
    serversView.arrange({ ...serversView.arrangement, filter: "" });
  },
  async groupServersBy(serversView: ServersView): Promise<void> {
    const { arrangement } = serversView;
    // Several profiles are the roots of the tree, however the servers are grouped.
    const hasProfiles = serversView.lists.sections.length > 1;
    const items = serverGroupings.map((groupBy) => ({
      label: groupBy === "none" && hasProfiles ? vscode.l10n.t("Profile") : serverGroupingLabel(groupBy),
      description: groupBy === arrangement.groupBy ? vscode.l10n.t("current") : "",
      groupBy,
    }));
    const placeHolder = vscode.l10n.t("Group servers by");
    const picked = await showQuickPick(items, { placeHolder });
    if (picked !== undefined) serversView.arrange({ ...arrangement, groupBy: picked.groupBy });
  },
  async sortServersBy(serversView: ServersView): Promise<void> {
    const { arrangement } = serversView;
    const items = sortings.flatMap((sortBy) =>
      [false, true].map((isDescending) => ({
        label: sortingLabel(sortBy, isDescending),
        description:
          sortBy === arrangement.sortBy && isDescending === arrangement.isDescending
            ? vscode.l10n.t("current")
            : "",
        sortBy,
        isDescending,
      })),
    );
    const placeHolder = vscode.l10n.t("Sort servers by");
    const picked = await showQuickPick(items, { placeHolder });
    if (picked === undefined) return;
    const { sortBy, isDescending } = picked;
    serversView.arrange({ ...arrangement, sortBy, isDescending });
  },
  async saveServerView(serversView: ServersView): Promise<void> {
    const { arrangements, arrangement } = serversView;
    const name = await showInputBox({
      title: vscode.l10n.t("Save Server View"),
      prompt: describeArrangement(arrangement),
      placeHolder: vscode.l10n.t("Name of the view (an existing view with this name is replaced)"),
      validateInput: (text) => (text.trim() === "" ? vscode.l10n.t("Enter a name for the view.") : undefined),
    });
    if (name === undefined || name.trim() === "") return;
    await arrangements.writeViews(putView(arrangements.views(), { name: name.trim(), arrangement }));
  },
  openServerView,
};

interface ViewItem extends vscode.QuickPickItem {
  readonly name: string;
  readonly arrangement: Arrangement;
}

/** Lists the saved views. Each can be deleted in the list. */
function openServerView(serversView: ServersView): void {
  const { arrangements } = serversView;
  const input = vscode.window.createQuickPick<ViewItem>();
  const remove = { iconPath: new vscode.ThemeIcon("trash"), tooltip: vscode.l10n.t("Remove This View") };
  const listItems = (): readonly ViewItem[] =>
    arrangements.views().map(({ name, arrangement }) => ({
      label: escapeCodicons(name),
      name,
      description: describeArrangement(arrangement),
      buttons: [remove],
      arrangement,
    }));
  input.placeholder =
    arrangements.views().length === 0
      ? vscode.l10n.t(
          "No saved views yet. Filter or group the servers, then run “Arrange Servers…” and select “Save Server View…”.",
        )
      : vscode.l10n.t("Saved Server Views");
  input.items = listItems().map(inertItem);
  input.onDidTriggerItemButton(({ item }) => {
    const others = arrangements.views().filter(({ name }) => name !== item.name);
    void arrangements.writeViews(others).then(() => {
      input.items = listItems().map(inertItem);
    });
  });
  input.onDidAccept(() => {
    const [picked] = input.selectedItems;
    if (picked !== undefined) serversView.arrange(picked.arrangement);
    input.hide();
  });
  input.onDidHide(() => input.dispose());
  input.show();
}
