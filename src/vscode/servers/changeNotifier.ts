import * as vscode from "vscode";
import {
  StateChanges,
  UnseenServers,
  changeText,
  digestText,
} from "../../core/servers/changes/stateChanges.ts";
import type { ServerSection, TreeRow } from "../../core/servers/tree/rows.ts";
import { commandIds } from "../shell/commandIds.ts";
import { serversViewId } from "./serversHost.ts";
import { setStatusBarMessage, showInformationMessage } from "../shell/window.ts";

const digestMs = 8_000;

/**
 * Notifies of status changes: quietly in the status bar for the active profile, and with a notification only for servers that the user
 * watches. The badge counts servers that failed, are idle or are without SSH until they have been seen.
 */
export class ChangeNotifier {
  readonly #view: vscode.TreeView<TreeRow>;
  readonly #changes = new StateChanges();
  readonly #unseen = new UnseenServers();
  readonly #claim: (text: string) => Promise<boolean>;

  /** @param claim Whether this window is the one to show a notice that all windows have a reason to show. */
  constructor(view: vscode.TreeView<TreeRow>, claim: (text: string) => Promise<boolean>) {
    this.#view = view;
    this.#claim = claim;
  }

  notify(section: ServerSection): void {
    const { state } = section.snapshot;
    if (state === "loading" || state === "signedOut") this.forget(section.profileName);
    const changes = this.#changes.read(section);
    if (changes.length === 0) return;
    this.#unseen.add(changes);
    this.#showBadge();
    const watched = changes.filter(({ mark }) => mark?.isWatched === true);
    for (const change of watched) void this.#notify(changeText(change));
    const others = changes.filter(({ mark }) => mark?.isWatched !== true);
    if (others.length > 0 && section.isActive) setStatusBarMessage(digestText(others), digestMs);
  }

  /** Called when the profile was removed or uses a different credential. */
  forget(profileName: string): void {
    this.#unseen.forget(profileName);
    this.#showBadge();
  }

  /** Called when the user has looked at the servers. */
  seen(): void {
    this.#unseen.clear();
    this.#showBadge();
  }

  /** @param idle All servers that cost money for nothing now, except for those that the user has muted. */
  noteUse(idle: ReadonlyMap<string, "idle" | "unreachable">): void {
    this.#unseen.noteUse(idle, this.#view.visible);
    this.#showBadge();
  }

  #showBadge(): void {
    const { count, lines } = this.#unseen;
    const tooltip = lines.join("\n");
    const { badge } = this.#view;
    if (count === (badge?.value ?? 0) && (count === 0 || badge?.tooltip === tooltip)) return;
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip };
  }

  async #notify(text: string): Promise<void> {
    if (!(await this.#claim(text))) return;
    const show = vscode.l10n.t("Show Servers");
    const refresh = vscode.l10n.t("Refresh");
    const picked = await showInformationMessage(text, show, refresh);
    if (picked === show) await vscode.commands.executeCommand(`${serversViewId}.focus`);
    if (picked === refresh) await vscode.commands.executeCommand(commandIds.refreshServers);
  }
}
