import * as vscode from "vscode";
import {
  formOfProfile,
  emptyProfileForm,
  parseProfileForm,
  isAskedFor,
  readProfileForm,
  credentialFields,
} from "../../../core/account/profileForm.ts";
import type {
  ProfileForm,
  EnteredSecrets,
  ProfileField,
  ProfileFormReading,
} from "../../../core/account/profileForm.ts";
import { fromProfilePage } from "../../../core/account/profileFormProtocol.ts";
import type {
  FromProfilePage,
  ToProfilePage,
  KnownCredential,
} from "../../../core/account/profileFormProtocol.ts";
import { isRecord, stringField } from "../../../core/kernel/json.ts";
import type { MessageHandlers } from "../../../core/kernel/pageMessages.ts";
import { profileDocument } from "../../../core/panel/pages/pageDocument.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { loadPage, receiveMessages, tabIcon } from "../../shell/webviewPage.ts";
import {
  returnFocusAfterDialogs,
  showConfirmation,
  showInformationMessage,
  showWarningMessage,
} from "../../shell/window.ts";
import { openConsole } from "../credentials/openConsole.ts";
import { profileFormViewType } from "../viewType.ts";
import { chooseProfile } from "./chooseProfile.ts";
import type { ProfileFormsContext, CredentialOutcome, RunningChecks } from "./profileChecks.ts";
import { confirmPlainHttp } from "../runRemedy.ts";
import { showProfileSettings } from "./profileSettings.ts";
import type { BaseUrlRole } from "../../../core/account/baseUrl.ts";
import {
  credentialKinds,
  isGatewayKind,
  secretKinds,
  secretTexts,
} from "../../../core/account/credentialKinds.ts";
import { describeSource } from "../../../core/account/formatSource.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { findProfileEntry } from "../../../core/diagnosis/diagnosis.ts";
import type { CheckedCredential } from "../../../core/account/secretCheck.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { originOf, isLoopbackHost } from "../../../core/kernel/httpAddress.ts";
import { reachMilestone } from "../../shell/milestones.ts";
import { checkFormCredential, reachAddress } from "./profileChecks.ts";

/** A credential that was entered and isn't stored yet, bound to the address that it was entered for. */
interface Held extends CheckedCredential {
  readonly credential: Credential;
  readonly origin: string;
  readonly isAccepted: boolean;
}

/**
 * Checks and saves what a form contains. Secrets leave the page once; until they are stored they are held here, in
 * memory, so that one mistake doesn't mean that everything has to be entered again.
 */
class ProfileEditing {
  readonly #context: ProfileFormsContext;
  readonly #editedName: string | undefined;
  readonly #post: (message: ToProfilePage) => void;
  readonly #held = new Map<SecretKind, Held>();
  readonly #checks = new Map<BaseUrlRole | "save", AbortController>();
  #isSaving = false;
  /** An address that responds proves nothing about the connection as long as no credential was accepted there. */
  #hasAcceptedCredential = false;

  constructor(
    context: ProfileFormsContext,
    editedName: string | undefined,
    post: (message: ToProfilePage) => void,
  ) {
    this.#context = context;
    this.#editedName = editedName;
    this.#post = post;
  }

  /** Stops all checks and forgets the secrets that aren't stored. */
  dispose(): void {
    this.stop();
    this.#held.clear();
  }

  /** Stops all checks. */
  stop(): void {
    for (const controller of this.#checks.values()) controller.abort();
  }

  /** Shows which credentials are already known. */
  async showKnown(): Promise<void> {
    const { profiles, vault } = this.#context;
    const profile = this.#editedName === undefined ? undefined : profiles.find(this.#editedName);
    const known: Partial<Record<SecretKind, KnownCredential>> = {};
    for (const kind of secretKinds) {
      const held = this.#held.get(kind);
      const source = profile?.credentialSources?.[kind];
      if (source !== undefined) {
        const sentence = vscode.l10n.t("Supplied by {0}.", describeSource(source));
        known[kind] = { sentence, isSupplied: true };
      } else if (held !== undefined) {
        const sentence = vscode.l10n.t("Entered for {0}, and saved with the profile.", held.origin);
        known[kind] = { sentence, isSupplied: false };
      } else if (profile !== undefined && (await vault.read(profile, kind)).state === "present") {
        const origin = secretOrigin(profile, kind) ?? "";
        const sentence = vscode.l10n.t("Stored for {0}. Leave empty to keep it.", origin);
        known[kind] = { sentence, isSupplied: false };
      }
    }
    this.#post({ type: "credentials", known });
  }

  /** Checks one address without any credential, and shows each step. Does nothing if the address is invalid. */
  async checkAddress(form: ProfileForm, role: BaseUrlRole): Promise<void> {
    const { inferenceBaseUrl, gatewayUrl } = form;
    const only =
      role === "inference" ? { inferenceBaseUrl, gatewayUrl: "" } : { gatewayUrl, inferenceBaseUrl: "" };
    const { allowInsecureHttp } = form;
    const { profile } = this.#read({ ...emptyProfileForm, ...only, allowInsecureHttp, name: "-" }, {});
    const running = this.#begin(role);
    if (profile !== undefined) await reachAddress(this.#context, profile, role, running);
  }

  /** Checks everything and saves it. True if the profile was saved. */
  async save(form: ProfileForm, secrets: EnteredSecrets): Promise<boolean> {
    const reading = this.#read(form, secrets);
    this.#hold(form, reading);
    await this.showKnown();
    const { profile, problems } = reading;
    if (profile === undefined) this.#post({ type: "problems", problems });
    if (profile === undefined || this.#isSaving) return false;
    this.#isSaving = true;
    this.#post({ type: "busy", isBusy: true, sentence: vscode.l10n.t("Checking the connection…") });
    try {
      if (!(await this.#confirmPlainHttp(profile))) return false;
      this.stop();
      const running = this.#begin("save");
      const trouble = await this.#checkAll(form, profile, running);
      if (trouble === undefined || running.signal.aborted) return false;
      if (trouble.length > 0 && !(await confirmUnchecked(profile.name, trouble))) return false;
      if (trouble.length === 0 && this.#hasAcceptedCredential) reachMilestone("connectionChecked");
      await this.#store(reading, profile);
      return true;
    } finally {
      this.#isSaving = false;
      this.#post({ type: "busy", isBusy: false, sentence: "" });
    }
  }

  /** Sentences about what couldn't be checked; undefined if there is a problem, which is shown at its field. */
  async #checkAll(
    form: ProfileForm,
    profile: Profile,
    running: RunningChecks,
  ): Promise<readonly string[] | undefined> {
    const trouble: string[] = [];
    const wrong: Partial<Record<ProfileField, string>> = {};
    const checkRole = async (role: BaseUrlRole, kinds: readonly SecretKind[]): Promise<void> => {
      const problem = await reachAddress(this.#context, profile, role, running);
      if (problem !== undefined) return void trouble.push(problem);
      for (const kind of kinds) {
        const outcome = await this.#checkKind(profile, kind, running);
        if (outcome?.verdict === "wrong") wrong[credentialFields(kind)[0] ?? "name"] = outcome.sentence;
        if (outcome?.verdict === "unclear") trouble.push(outcome.sentence);
      }
    };
    const kinds = secretKinds.filter((kind) => isAskedFor(form, kind));
    const { inferenceBaseUrl, gatewayUrl } = profile;
    await Promise.all([
      inferenceBaseUrl === undefined
        ? []
        : checkRole(
            "inference",
            kinds.filter((kind) => !isGatewayKind(kind)),
          ),
      gatewayUrl === undefined ? [] : checkRole("gateway", kinds.filter(isGatewayKind)),
    ]);
    if (Object.keys(wrong).length === 0) return trouble;
    await this.showKnown();
    this.#post({ type: "problems", problems: wrong });
    return undefined;
  }

  /** Checks what was entered, or what is stored. Undefined if there is nothing, or the check was stopped. */
  async #checkKind(
    profile: Profile,
    kind: SecretKind,
    running: RunningChecks,
  ): Promise<CredentialOutcome | undefined> {
    const held = this.#held.get(kind);
    const credential = held?.credential ?? (await this.#stored(profile, kind));
    if (credential === undefined || held?.isAccepted === true || running.signal.aborted) return undefined;
    const outcome = await checkFormCredential(this.#context, profile, credential, running);
    if (outcome?.verdict === "wrong") this.#held.delete(kind);
    this.#hasAcceptedCredential ||= outcome?.verdict === "valid";
    if (outcome?.verdict === "valid" && held !== undefined)
      this.#held.set(kind, { ...held, ...outcome, isAccepted: true });
    return outcome;
  }

  async #store({ options, expiresAt }: ProfileFormReading, checked: Profile): Promise<void> {
    const { profiles, vault, log } = this.#context;
    const held = [...this.#held.values()];
    const signature = held.find((one) => one.signature !== undefined)?.signature;
    const { encoding, emptyValues } = signature ?? {};
    await profiles.put({
      ...options,
      ...(encoding === undefined ? {} : { signatureEncoding: encoding }),
      ...(emptyValues === undefined ? {} : { signatureEmptyValues: emptyValues }),
    });
    for (const { credential, origin } of held) {
      // Never for a different address than the one that it was entered for.
      if (secretOrigin(checked, credential.kind) !== origin) continue;
      const expiry = credentialKinds[credential.kind].lifetime === "shortToken" ? expiresAt : undefined;
      await vault.store(profiles.find(checked.name) ?? checked, credential, expiry);
    }
    this.#held.clear();
    log.info(`The profile “${checked.name}” was saved with its form. Credentials: ${held.length}`);
    if (this.#editedName === undefined) await profiles.select(checked.name);
    void notifySaved(checked, this.#editedName === undefined);
  }

  /** Only what this profile stored for the address that the form has now. */
  async #stored(profile: Profile, kind: SecretKind): Promise<Credential | undefined> {
    if (this.#editedName === undefined || profile.credentialSources?.[kind] !== undefined) return undefined;
    const result = await this.#context.vault.read(profile, kind);
    return result.state === "present" ? result.credential : undefined;
  }

  #read(form: ProfileForm, secrets: EnteredSecrets): ProfileFormReading {
    const { profiles } = this.#context;
    const existing =
      this.#editedName === undefined ? undefined : findProfileEntry(profiles.readRaw(), this.#editedName);
    return readProfileForm(
      { ...form, name: this.#editedName ?? form.name },
      {
        secrets,
        takenNames: profiles.names.filter((name) => name !== this.#editedName),
        ...(isRecord(existing) ? { existing } : {}),
        now: Date.now(),
      },
    );
  }

  /** Adopts the secrets that were entered, and forgets those for an address that the form no longer contains. */
  #hold(form: ProfileForm, { credentials, options }: ProfileFormReading): void {
    const originFor = (kind: SecretKind): string | undefined =>
      originOf(isGatewayKind(kind) ? options.gatewayUrl : options.inferenceBaseUrl);
    for (const [kind, { origin }] of this.#held)
      if (!isAskedFor(form, kind) || originFor(kind) !== origin) this.#held.delete(kind);
    for (const credential of credentials) {
      for (const text of secretTexts(credential)) this.#context.redaction.remember(text);
      const origin = originFor(credential.kind);
      if (origin !== undefined)
        this.#held.set(credential.kind, { credential, origin, notes: [], isAccepted: false });
    }
  }

  async #confirmPlainHttp(profile: Profile): Promise<boolean> {
    const { profiles } = this.#context;
    const before = this.#editedName === undefined ? undefined : profiles.find(this.#editedName);
    const hosts = [profile.inferenceBaseUrl, profile.gatewayUrl]
      .map((url) => URL.parse(url ?? ""))
      .filter((url) => url?.protocol === "http:" && !isLoopbackHost(url.hostname))
      .map((url) => url?.host ?? "");
    if (!profile.allowInsecureHttp || before?.allowInsecureHttp === true || hosts.length === 0) return true;
    return confirmPlainHttp([...new Set(hosts)].join(", "));
  }

  #begin(name: BaseUrlRole | "save"): RunningChecks {
    this.#checks.get(name)?.abort();
    const controller = new AbortController();
    this.#checks.set(name, controller);
    return {
      signal: controller.signal,
      show: (subject, state, sentence) => this.#post({ type: "check", subject, state, sentence }),
    };
  }
}

async function confirmUnchecked(name: string, trouble: readonly string[]): Promise<boolean> {
  const save = vscode.l10n.t("Save Anyway");
  const question = vscode.l10n.t(
    "The connection of “{0}” couldn't be checked. Save the profile anyway?",
    name,
  );
  return (await showWarningMessage(question, { modal: true, detail: trouble.join("\n\n") }, save)) === save;
}

async function notifySaved({ name, inferenceBaseUrl }: Profile, isNew: boolean): Promise<void> {
  if (!isNew) return showConfirmation(vscode.l10n.t("The profile “{0}” was saved.", name));
  const newChat = vscode.l10n.t("New Chat");
  const message = vscode.l10n.t("“{0}” is now the active profile.", name);
  const picked = await showInformationMessage(message, ...(inferenceBaseUrl === undefined ? [] : [newChat]));
  if (picked === newChat) await vscode.commands.executeCommand(commandIds.newChat);
}

/** What a form starts with. */
export interface FormRequest {
  /** The profile to edit; undefined for a new one. */
  readonly editedName?: string | undefined;
  readonly form?: Partial<ProfileForm>;
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
    this.#adopt(panel, { editedName, form: parseProfileForm(stored["form"]), origin });
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
  readonly #focus: vscode.Disposable;

  constructor(panel: vscode.WebviewPanel, request: FormRequest, context: ProfileFormsContext) {
    this.#panel = panel;
    this.#request = request;
    this.#context = context;
    this.#editing = new ProfileEditing(context, request.editedName, (message) => this.#post(message));
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
    const { editedName, form, origin } = this.#request;
    const edited = editedName === undefined ? undefined : profiles.find(editedName);
    const own = edited === undefined ? emptyProfileForm : formOfProfile(edited);
    this.#post({
      type: "form",
      editedName,
      form: { ...own, ...form },
      takenNames: profiles.names.filter((name) => name !== editedName),
      origin,
    });
    await this.#editing.showKnown();
  }

  #post(message: ToProfilePage): void {
    void this.#panel.webview.postMessage(message);
  }
}
