import * as vscode from "vscode";
import type { CredentialNotice } from "../../core/account/credentialRow.ts";
import { credentialNoun, dueNotices, keepShown, nextLook } from "../../core/account/credentialRow.ts";
import { createStatusBarView } from "../../core/account/statusBarView.ts";
import type { StoredSecret } from "../../core/account/storedSecret.ts";
import { formatRemaining } from "../../core/kernel/formatTime.ts";
import { commandIds } from "../shell/commandIds.ts";
import { showWarningMessage } from "../shell/window.ts";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import type { ModelMemory } from "./modelMemory.ts";
import { profileColor } from "./profileIcon.ts";

const notifiedKey = "inferenceGateway.credentialNotices";

/** Shows notices about expiring tokens in the focused window, each once. */
class CredentialReminders {
  readonly #context: CredentialContext;
  readonly #state: vscode.Memento;

  constructor(context: CredentialContext, globalState: vscode.Memento) {
    this.#context = context;
    this.#state = globalState;
  }

  /**
   * Shows the notices that are due, only in the focused window. Other windows read from the shared state that they were
   * shown.
   */
  remind(secrets: readonly StoredSecret[], now: number): void {
    if (!vscode.window.state.focused) return;
    const own = secrets.filter(({ profileName, kind }) => {
      const profile = this.#context.profiles.find(profileName);
      return profile !== undefined && profile.credentialSources?.[kind] === undefined;
    });
    const shown = this.#readShown();
    const notices = dueNotices(own, shown, now);
    if (notices.length === 0) return;
    const after = [...keepShown(shown, secrets), ...notices.map(({ id }) => id)];
    void this.#state.update(notifiedKey, after);
    for (const notice of notices) void this.#notify(notice, now);
  }

  async #notify({ secret }: CredentialNotice, now: number): Promise<void> {
    const { profileName, facts } = secret;
    const action = vscode.l10n.t("Set New Credential");
    const message = vscode.l10n.t(
      "The {0} for “{1}” expires in {2}. After that, requests are paused until a new one is set.",
      credentialNoun(secret),
      profileName,
      formatRemaining((facts?.expiresAt ?? now) - now),
    );
    if ((await showWarningMessage(message, action)) !== action) return;
    const { runSetCredential } = await import("./credentials/setCredentialCommand.ts");
    await runSetCredential(this.#context, secret.kind, secret.profileName);
  }

  #readShown(): ReadonlySet<string> {
    const value: unknown = this.#state.get(notifiedKey);
    return new Set(Array.isArray(value) ? value.filter((id) => typeof id === "string") : []);
  }
}

/** What the status bar shows and remembers. */
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
      { dispose: vault.onDidChange(load) },
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
    const round = ++this.#round;
    const secrets = await this.#context.credentials.vault.list();
    if (round !== this.#round) return;
    this.#secrets = secrets;
    this.#paint();
  }

  #paint(): void {
    const { credentials, models } = this.#context;
    const { profiles } = credentials;
    const profile = profiles.active;
    const now = Date.now();
    const last = profile === undefined ? undefined : (models.read(profile.name) ?? profile.defaultModel);
    const { text, spoken, lines, severity } = createStatusBarView({
      profile,
      isWorkspaceDefault: profiles.workspaceName !== undefined,
      model: models.ofActiveChat ?? last,
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
