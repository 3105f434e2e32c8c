import * as vscode from "vscode";
import { nextLook } from "../../core/account/credentialNotices.ts";
import type { StoredSecret } from "../../core/account/storedSecret.ts";
import { createStatusBarView } from "../../core/account/statusBarView.ts";
import type { ModelMemory } from "./modelMemory.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import { profileColor } from "./profileIcon.ts";
import { CredentialReminders } from "./credentialReminders.ts";

export interface StatusBarContext {
  readonly credentials: CredentialContext;
  readonly models: ModelMemory;
  readonly globalState: vscode.Memento;
  /** This extension. Its manifest contains the command titles. */
  readonly extension: vscode.Extension<unknown>;
}

/** Shows the profile, the model and a token's remaining time, and updates only as often as that changes. */
export class StatusBar implements vscode.Disposable {
  readonly #context: StatusBarContext;
  readonly #item = vscode.window.createStatusBarItem(
    "inferenceGateway.profile",
    vscode.StatusBarAlignment.Right,
    90,
  );
  readonly #reminders: CredentialReminders;
  readonly #disposables: readonly vscode.Disposable[];
  #secrets: readonly StoredSecret[] = [];
  #timer: NodeJS.Timeout | undefined;
  #round = 0;

  constructor(context: StatusBarContext) {
    this.#context = context;
    this.#reminders = new CredentialReminders(context.credentials, context.globalState);
    this.#item.name = vscode.l10n.t("Inference Gateway: Profile and Model");
    this.#item.command = commandIds.showMenu;
    const { profiles, vault } = context.credentials;
    const load = (): void => void this.#load();
    const paint = (): void => this.#paint();
    this.#disposables = [
      this.#item,
      profiles.onDidChange(load),
      { dispose: vault.onDidChangeStored(load) },
      context.models.onDidChange(paint),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) paint();
      }),
    ];
    load();
  }

  dispose(): void {
    this.#round++;
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #load(): Promise<void> {
    const { profiles, vault } = this.#context.credentials;
    const round = ++this.#round;
    const secrets = await vault.list(profiles.names);
    if (round !== this.#round) return;
    this.#secrets = secrets;
    this.#paint();
  }

  #paint(): void {
    const { credentials, models } = this.#context;
    const { profiles } = credentials;
    const profile = profiles.active;
    const now = Date.now();
    const { text, spoken, lines, severity } = createStatusBarView({
      profile,
      isWorkspaceDefault: profiles.workspaceName !== undefined,
      model: profile === undefined ? undefined : (models.read(profile.name) ?? profile.defaultModel),
      secrets: this.#secrets,
      now,
    });
    const background = severity === "none" ? undefined : `statusBarItem.${severity}Background`;
    this.#item.text = text;
    this.#item.tooltip = createTooltip(lines);
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t("Inference Gateway: {0}", spoken),
      role: "button",
    };
    this.#item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
    this.#item.color = background === undefined && profile !== undefined ? profileColor(profile) : undefined;
    if (profiles.all.length === 0) this.#item.hide();
    else this.#item.show();
    this.#reminders.remind(this.#secrets, now);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#paint(), nextLook(this.#secrets, now));
  }
}

function createTooltip(lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  for (const [index, line] of lines.entries()) {
    if (index > 0) tooltip.appendMarkdown("\n\n");
    tooltip.appendText(line);
  }
  return tooltip;
}
