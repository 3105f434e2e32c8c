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
};
