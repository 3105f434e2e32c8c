import * as vscode from "vscode";
import {
  serverGroupings,
  sortings,
  serverGroupingLabel,
  sortingLabel,
} from "../../core/servers/arrange/groupServers.ts";
import type { ServersView } from "./serversView.ts";
import { askFilter } from "./filterInput.ts";
import { showQuickPick } from "../shell/window.ts";

/** How the servers are shown. */
export const arrangeActions = {
  async filterServers(serversView: ServersView): Promise<void> {
    await askFilter(serversView);
  },
  clearServerFilter(serversView: ServersView): void {
    serversView.arrange({ ...serversView.arrangement, filter: "" });
  },
  /** Offers the filter, every grouping, and every order. */
  async arrangeServers(serversView: ServersView): Promise<void> {
    const { arrangement } = serversView;
    // Several profiles are the roots of the tree, however the servers are grouped.
    const hasProfiles = serversView.lists.sections.length > 1;
    const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, run: () => undefined };
    const markIf = (isCurrent: boolean): string => (isCurrent ? vscode.l10n.t("current") : "");
    const groupings = serverGroupings.map((groupBy) => {
      const name =
        groupBy === "none" && hasProfiles ? vscode.l10n.t("Profile") : serverGroupingLabel(groupBy);
      return {
        label: vscode.l10n.t("Group by: {0}", name),
        description: markIf(groupBy === arrangement.groupBy),
        run: () => serversView.arrange({ ...arrangement, groupBy }),
      };
    });
    const orders = sortings.flatMap((sortBy) =>
      [false, true].map((isDescending) => ({
        label: vscode.l10n.t("Sort by: {0}", sortingLabel(sortBy, isDescending)),
        description: markIf(sortBy === arrangement.sortBy && isDescending === arrangement.isDescending),
        run: () => serversView.arrange({ ...arrangement, sortBy, isDescending }),
      })),
    );
    const filter = {
      label: vscode.l10n.t("Filter…"),
      description: arrangement.filter,
      run: () => void askFilter(serversView),
    };
    const items = [filter, separator, ...groupings, separator, ...orders];
    (await showQuickPick(items, { title: vscode.l10n.t("Arrange Servers") }))?.run();
  },
};
