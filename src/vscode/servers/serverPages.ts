import * as vscode from "vscode";
import { PagePanels } from "../shell/webviewPage.ts";
import { CostsPanel } from "./costs/costsPanel.ts";
import { costsViewType, tableViewType } from "./serversHost.ts";
import type { ServersView } from "./serversView.ts";
import { TablePanel } from "./table/tablePanel.ts";

/** The pages about servers, by their view types. */
export type ServerPages = Readonly<Record<typeof tableViewType | typeof costsViewType, PagePanels>>;

/** The pages, none of which is shown yet. */
export function createServerPages(serversView: ServersView): ServerPages {
  return {
    [tableViewType]: new PagePanels(
      tableViewType,
      vscode.l10n.t("GPU Servers"),
      (panel) => new TablePanel(panel, serversView),
    ),
    [costsViewType]: new PagePanels(
      costsViewType,
      vscode.l10n.t("Costs"),
      (panel) => new CostsPanel(panel, serversView),
    ),
  };
}
