import * as vscode from "vscode";
import { serverName } from "../../core/servers/serverWords.ts";
import type { Row } from "../../core/servers/tree/rows.ts";
import { chooseServer } from "./chooseServer.ts";
import type { FleetView } from "./fleetView.ts";
import { showInputBox } from "../shell/window.ts";

/** What the user notes of a server. It stays on this machine and is never sent. */
export const markActions = {
  async pinServer(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen !== undefined) await fleet.mark(chosen, { isPinned: true });
  },
  async unpinServer(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen !== undefined) await fleet.mark(chosen, { isPinned: false });
  },
  async watchServer(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen !== undefined) await fleet.mark(chosen, { isWatched: true, isMuted: false });
  },
  async unwatchServer(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen !== undefined) await fleet.mark(chosen, { isWatched: false });
  },
  async muteServer(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen !== undefined) await fleet.mark(chosen, { isMuted: true, isWatched: false });
  },
  async unmuteServer(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen !== undefined) await fleet.mark(chosen, { isMuted: false });
  },
  async setServerAlias(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen === undefined) return;
    const alias = await showInputBox({
      title: vscode.l10n.t("Alias of {0}", serverName(chosen.server)),
      prompt: vscode.l10n.t(
        "Shown instead of the name, on this machine only. Leave empty to restore the name.",
      ),
      value: chosen.mark?.alias ?? "",
    });
    if (alias !== undefined) await fleet.mark(chosen, { alias });
  },
  async setServerNote(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row);
    if (chosen === undefined) return;
    const note = await showInputBox({
      title: vscode.l10n.t("Note on {0}", serverName(chosen.server)),
      prompt: vscode.l10n.t(
        "Stored on this machine only. Don't enter secrets. Leave empty to remove the note.",
      ),
      value: chosen.mark?.note ?? "",
    });
    if (note !== undefined) await fleet.mark(chosen, { note });
  },
};
