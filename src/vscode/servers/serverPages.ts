import * as vscode from "vscode";
import type { RequestTotal } from "../../core/conversation/requestTotal.ts";
import { PagePanels } from "../shell/webviewPage.ts";
import { CostsPanel } from "./costs/costsPanel.ts";
import { costsViewType, tableViewType } from "./serversHost.ts";
import type { ServersView } from "./serversView.ts";
import { TablePanel } from "./table/tablePanel.ts";

/** The pages about servers, by their view types. */
export type ServerPages = Readonly<Record<typeof tableViewType | typeof costsViewType, PagePanels>>;

/** @param requests What all requests since then came to, in milliseconds since 1970. */
export function createServerPages(
  serversView: ServersView,
  requests: (since: number) => Promise<readonly RequestTotal[]>,
): ServerPages {
  return {
    [tableViewType]: new PagePanels(
      tableViewType,
      vscode.l10n.t("GPU Servers"),
      (panel) => new TablePanel(panel, serversView),
    ),
    [costsViewType]: new PagePanels(
      costsViewType,
      vscode.l10n.t("Costs"),
      (panel) => new CostsPanel(panel, serversView, requests),
    ),
  };
}
