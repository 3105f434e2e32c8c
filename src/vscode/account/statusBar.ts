import * as vscode from "vscode";
import type { CredentialNotice } from "../../core/account/credentialRow.ts";
import { credentialNoun, dueNotices, keepHandled, nextLook } from "../../core/account/credentialRow.ts";
import { createStatusBarView } from "../../core/account/statusBarView.ts";
import type { StoredSecret } from "../../core/account/storedSecret.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { formatAge, formatRemaining } from "../../core/kernel/formatTime.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { commandIds } from "../shell/commandIds.ts";
import { showInformationMessage, showWarningMessage } from "../shell/window.ts";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import type { ModelMemory } from "./modelMemory.ts";
import { profileColor } from "./profileIcon.ts";

const notifiedKey = "inferenceGateway.credentialNotices";

/** Shows notices about expiring tokens and old keys in the focused window, each at a limited rate. */
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
    const handled = this.#readHandled();
    const notices = dueNotices(own, handled, now);
    if (notices.length === 0) return;
    const after = new Map([...keepHandled(handled, secrets), ...notices.map(({ id }) => [id, now] as const)]);
    void this.#state.update(notifiedKey, Object.fromEntries(after));
    for (const notice of notices) void this.#notify(notice, now);
  }

  async #notify(notice: CredentialNotice, now: number): Promise<void> {
    const { secret } = notice;
    const action = actionLabel(notice);
    const message = describe(notice, now);
    const picked =
      notice.about === "ending"
        ? await showWarningMessage(message, action)
        : await showInformationMessage(message, action);
    if (picked !== action) return;
    const { runSetCredential } = await import("./credentials/setCredentialCommand.ts");
    await runSetCredential(this.#context, secret.kind, secret.profileName);
  }

  #readHandled(): ReadonlyMap<string, number> {
    const value: unknown = this.#state.get(notifiedKey);
    if (!isRecord(value)) return new Map();
    return new Map(Object.entries(value).flatMap(([id, at]) => (typeof at === "number" ? [[id, at]] : [])));
  }
}

function describe({ about, secret }: CredentialNotice, now: number): string {
  const { profileName, facts } = secret;
  const noun = credentialNoun(secret);
  switch (about) {
    case "ending": {
      const left = formatRemaining((facts?.expiresAt ?? now) - now);
      return vscode.l10n.t(
        "The {0} for “{1}” expires in {2}. After that, requests are paused until a new one is set.",
        noun,
        profileName,
        left,
      );
    }
    case "aged":
      return vscode.l10n.t(
        "The {0} for “{1}” has been in use for {2}. Create a new one in the console, then set it here.",
        noun,
        profileName,
        formatAge(now - (facts?.savedAt ?? now)),
      );
    default:
      return assertNever(about);
  }
}

function actionLabel({ about }: CredentialNotice): string {
  switch (about) {
    case "ending":
      return vscode.l10n.t("Set New Credential");
    case "aged":
      return vscode.l10n.t("Replace…");
    default:
      return assertNever(about);
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
