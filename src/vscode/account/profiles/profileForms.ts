import * as vscode from "vscode";
import { formOfProfile, emptyProfileForm, parseProfileForm } from "../../../core/account/profileForm.ts";
import type { ProfileForm } from "../../../core/account/profileForm.ts";
import { fromProfilePage } from "../../../core/account/profileFormProtocol.ts";
import type { FromProfilePage, ToProfilePage } from "../../../core/account/profileFormProtocol.ts";
import { isRecord, stringField } from "../../../core/kernel/json.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import type { MessageHandlers } from "../../../core/kernel/pageMessages.ts";
import { profileDocument } from "../../../core/panel/pages/pageDocument.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { loadPage, receiveMessages, tabIcon } from "../../shell/webviewPage.ts";
import { returnFocusAfterDialogs } from "../../shell/window.ts";
import { openConsole } from "../credentials/openConsole.ts";
import { profileFormViewType } from "../providerId.ts";
import { chooseProfile } from "./chooseProfile.ts";
import { ProfileEditing } from "./profileEditing.ts";
import type { ProfileFormsContext } from "./profileChecks.ts";
import { showProfileSettings } from "./profileSettings.ts";

/** What a form starts with. */
export interface FormRequest {
  /** The profile to edit; undefined for a new one. */
  readonly editedName?: string | undefined;
  readonly form?: Partial<ProfileForm>;
  /** The profile that the form was filled in from in the last session. */
  readonly base?: ProfileForm | undefined;
  /** A sentence about where the content comes from, if the user didn't enter it. */
  readonly origin?: string | undefined;
}

/** The forms in which profiles are added and edited. There is one for each profile. */
export class ProfileForms implements vscode.Disposable {
  readonly #context: ProfileFormsContext;
  readonly #panels = new Map<string, ProfileFormPanel>();

  constructor(context: ProfileFormsContext) {
    this.#context = context;
  }

  /**
   * Opens the form, or brings it to the front. Content passed with the request replaces the initial content of a new
   * form.
   */
  open(request: FormRequest = {}): void {
    const { editedName } = request;
    const open = this.#panels.get(keyOf(editedName));
    if (open !== undefined && request.form === undefined) return open.reveal();
    open?.dispose();
    const title =
      editedName === undefined
        ? vscode.l10n.t("Add Profile")
        : vscode.l10n.t("Edit Profile “{0}”", editedName);
    const panel = vscode.window.createWebviewPanel(profileFormViewType, title, vscode.ViewColumn.Active, {
      // A secret that is being entered must not be kept anywhere, but switching to another tab must not discard it.
      retainContextWhenHidden: true,
    });
    this.#adopt(panel, request);
  }

  /** Opens the form of the named profile, or of one that the user picks. */
  async edit(profileName: unknown): Promise<void> {
    const { profiles } = this.#context;
    const named = typeof profileName === "string" ? profiles.find(profileName) : undefined;
    const only = profiles.all.length === 1 ? profiles.all[0] : undefined;
    const profile = named ?? only ?? (await chooseProfile(profiles));
    if (profile !== undefined) this.open({ editedName: profile.name });
  }

  /** Restores a form from the last session, with everything but its secrets. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const { profiles } = this.#context;
    const stored = isRecord(state) ? state : {};
    const editedName = stringField(stored, "editedName");
    const isGone = editedName !== undefined && profiles.find(editedName) === undefined;
    if (isGone || this.#panels.has(keyOf(editedName))) return panel.dispose();
    const origin = stringField(stored, "origin")?.slice(0, 1_000);
    const base = isRecord(stored["base"]) ? parseProfileForm(stored["base"]) : undefined;
    this.#adopt(panel, { editedName, form: parseProfileForm(stored["form"]), base, origin });
  }

  dispose(): void {
    for (const panel of [...this.#panels.values()]) panel.dispose();
  }

  #adopt(panel: vscode.WebviewPanel, request: FormRequest): void {
    const key = keyOf(request.editedName);
    const form = new ProfileFormPanel(panel, request, this.#context);
    this.#panels.set(key, form);
    panel.onDidDispose(() => {
      form.forget();
      if (this.#panels.get(key) === form) this.#panels.delete(key);
    });
  }
}

/** A profile's name is never empty. */
function keyOf(editedName: string | undefined): string {
  return editedName ?? "";
}

/** One form: shows it in its page, and turns what the user does there into checks and a profile. */
class ProfileFormPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #request: FormRequest;
  readonly #context: ProfileFormsContext;
  readonly #editing: ProfileEditing;
  readonly #changes: vscode.Disposable;
  readonly #focus: vscode.Disposable;

  constructor(panel: vscode.WebviewPanel, request: FormRequest, context: ProfileFormsContext) {
    this.#panel = panel;
    this.#request = request;
    this.#context = context;
    this.#editing = new ProfileEditing(context, request.editedName, (message) => this.#post(message));
    this.#changes = context.profiles.onDidChange(() => {
      this.#showStored().catch((error: unknown) => logFailure(context.log, error));
    });
    this.#focus = returnFocusAfterDialogs(
      () => panel.active,
      () => panel.reveal(),
    );
    panel.iconPath = tabIcon(context.extensionUri);
    receiveMessages<FromProfilePage>(panel.webview, fromProfilePage, this.#createHandlers(), context.log);
    loadPage(panel.webview, context.extensionUri, profileDocument);
  }

  reveal(): void {
    this.#panel.reveal();
  }

  /** Stops what is in progress, and forgets the secrets that aren't stored. */
  forget(): void {
    this.#changes.dispose();
    this.#focus.dispose();
    this.#editing.dispose();
  }

  dispose(): void {
    this.#panel.dispose();
  }

  #createHandlers(): MessageHandlers<FromProfilePage> {
    const editing = this.#editing;
    return {
      ready: () => this.#begin(),
      checkAddress: ({ form, role }) => editing.checkAddress(form, role),
      save: async ({ form, secrets }) => {
        if (await editing.save(form, secrets)) this.dispose();
        // Changes while it was being checked haven't been shown.
        else await this.#showStored();
      },
      stop: () => editing.stop(),
      cancel: () => this.dispose(),
      createKey: ({ form: { consoleUrl }, kind }) => openConsole({ consoleUrl }, kind),
      openSettings: () => showProfileSettings(),
      startLocalGateway: async () => {
        await vscode.commands.executeCommand(commandIds.startLocalGateway);
        this.dispose();
      },
      pageError: ({ message }) => this.#context.log.error(`The form of a profile failed: ${message}`),
    };
  }

  async #begin(): Promise<void> {
    const { profiles } = this.#context;
    const { editedName, form, base, origin } = this.#request;
    const edited = editedName === undefined ? undefined : profiles.find(editedName);
    const own = edited === undefined ? emptyProfileForm : formOfProfile(edited);
    this.#post({
      type: "form",
      editedName,
      form: { ...own, ...form },
      base: base ?? own,
      takenNames: profiles.names.filter((name) => name !== editedName),
      origin,
    });
    if (editedName === undefined) await this.#editing.showKnown();
    else await this.#showStored();
  }

  /** The profile may have been changed in the settings, by another window or since the last session. */
  async #showStored(): Promise<void> {
    const { editedName } = this.#request;
    if (editedName === undefined || this.#editing.isSaving) return;
    const profile = this.#context.profiles.find(editedName);
    this.#post({ type: "stored", form: profile && formOfProfile(profile) });
    await this.#editing.showKnown();
  }

  #post(message: ToProfilePage): void {
    void this.#panel.webview.postMessage(message);
  }
}
