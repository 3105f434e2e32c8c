import "../kit/translations.ts";
import type { ToProfilePage, FromProfilePage } from "../../core/account/profileFormProtocol.ts";
import { acquirePageHost } from "../kit/host.ts";
import type { PageHost } from "../kit/host.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { t } from "@vscode/l10n";
import type { BaseUrlRole } from "../../core/account/baseUrl.ts";
import { credentialKinds, gatewayKinds } from "../../core/account/credentialKinds.ts";
import type { ProfileVariables } from "../../core/account/environmentProfiles.ts";
import { emptyProfileForm, formToKeep, isAskedFor, readProfileForm } from "../../core/account/profileForm.ts";
import type {
  EnteredSecrets,
  ProfileForm,
  ProfileFormReading,
  ProfileProblems,
} from "../../core/account/profileForm.ts";
import type { SecretKind } from "../../core/kernel/credential.ts";
import { create, linkButton, textButton } from "../kit/dom.ts";
import { ProfileFields, section } from "../settings/profileFields.ts";
import type { FormField } from "../settings/profileFields.ts";
import { createVariablesBox } from "../settings/variablesBox.ts";

/** What VS Code keeps for the page when the window is reloaded. It never contains secrets. */
interface ProfilePageState {
  readonly editedName?: string | undefined;
  readonly form: ProfileForm;
  readonly origin?: string | undefined;
}

/** The extension host. */
type ProfileHost = PageHost<FromProfilePage, ProfilePageState>;

type FormMessage = Extract<ToProfilePage, { readonly type: "form" }>;

const shownKinds = ["apiKey", ...gatewayKinds] as const;

/** The form for a profile. */
class ProfilePage {
  readonly #host: ProfileHost;
  readonly #fields = new ProfileFields();
  readonly #heading = create("h1");
  readonly #origin = create("p", { class: "origin", role: "note" });
  readonly #start = create("p", { class: "hint start" });
  readonly #kindGroups: ReadonlyMap<SecretKind, HTMLElement>;
  readonly #keyButtons: HTMLElement[] = [];
  readonly #body = create("fieldset", { class: "body" });
  readonly #more = create("details");
  readonly #status = create("p", { class: "form-status", role: "status" });
  readonly #saveButton = create("button", { type: "submit", class: "button primary" });
  #opened: FormMessage | undefined;
  #isBusy = false;

  constructor(root: HTMLElement, host: ProfileHost) {
    this.#host = host;
    this.#kindGroups = new Map(shownKinds.map((kind) => [kind, this.#createKindGroup(kind)]));
    const form = this.#createForm();
    this.#fields.show(emptyProfileForm);
    root.append(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#isBusy) host.post({ type: "stop" });
      else this.#save();
    });
    for (const type of ["input", "change"]) form.addEventListener(type, () => this.#changed());
    this.#watchAddress("inference");
    this.#watchAddress("gateway");
    this.#setBusy(false, "");
  }

  receive(message: ToProfilePage): void {
    switch (message.type) {
      case "form":
        return this.#begin(message);
      case "credentials":
        for (const kind of shownKinds) this.#fields.showKnown(kind, message.known[kind]);
        return;
      case "check":
        return this.#fields.ofSubject(message.subject)?.showCheck(message.state, message.sentence);
      case "problems":
        // Disabled fields can't be focused.
        this.#setBusy(false, "");
        this.#showProblems(message.problems);
        return this.#fields.restoreAccessKeys(message.problems);
      case "busy":
        return this.#setBusy(message.isBusy, message.sentence);
    }
  }

  #begin(message: FormMessage): void {
    const { editedName, form, origin } = message;
    // A fast user typed something before this arrived.
    const typed = this.#opened === undefined ? this.#fields.read() : emptyProfileForm;
    this.#opened = message;
    const { name, inferenceBaseUrl } = this.#fields.texts;
    this.#heading.textContent =
      editedName === undefined ? t("Add Profile") : t("Edit Profile “{0}”", editedName);
    this.#origin.textContent = origin ?? "";
    this.#origin.hidden = origin === undefined;
    this.#start.hidden = editedName !== undefined;
    const merged = { ...form, ...typedFields(typed) };
    this.#fields.show(editedName === undefined ? merged : { ...merged, name: form.name });
    name.input.readOnly = editedName !== undefined;
    if (editedName !== undefined) name.showHint(t("The stored credentials belong to this name."));
    this.#changed();
    if (!this.#body.contains(document.activeElement))
      (editedName === undefined ? name : inferenceBaseUrl).input.focus();
  }

  #changed(): void {
    const form = this.#fields.read();
    for (const [kind, group] of this.#kindGroups) group.hidden = !isAskedFor(form, kind);
    this.#fields.gatewayHint.textContent = credentialKinds[form.gatewayCredential].hint();
    for (const button of this.#keyButtons) button.hidden = form.consoleUrl.trim() === "";
    const { editedName, origin } = this.#opened ?? {};
    this.#host.saveState({ editedName, form: formToKeep(form), origin });
  }

  #read(form: ProfileForm, secrets: EnteredSecrets): ProfileFormReading {
    const takenNames = this.#opened?.takenNames ?? [];
    return readProfileForm(form, { secrets, takenNames, now: Date.now() });
  }

  #save(): void {
    const form = this.#fields.read();
    const secrets = this.#fields.readSecrets();
    const { problems } = this.#read(form, secrets);
    this.#showProblems(problems);
    if (Object.keys(problems).length > 0) return;
    this.#host.post({ type: "save", form, secrets });
    this.#fields.forgetSecrets();
    this.#setBusy(true, t("Checking the connection…"));
  }

  /** Checks an address once it is entered, if it can be used at all. */
  #watchAddress(role: BaseUrlRole): void {
    const name = role === "inference" ? "inferenceBaseUrl" : "gatewayUrl";
    const field = this.#fields.texts[name];
    field.input.addEventListener("change", () => {
      const form = this.#fields.read();
      const { problems, advice } = this.#read({ ...form, name: "-" }, {});
      const problem = form[name].trim() === "" ? undefined : problems[name];
      field.showProblem(problem);
      field.showCheck("warning", problem === undefined ? (advice[name] ?? "") : "");
      if (problem === undefined && form[name].trim() !== "")
        this.#host.post({ type: "checkAddress", role, form });
    });
  }

  /** Fills in what was pasted, and reports each value like one that was typed. */
  #fillIn({ name: proposal, values }: ProfileVariables): void {
    const form = this.#fields.read();
    const isNew = this.#opened?.editedName === undefined;
    const name = form.name.trim() === "" && isNew ? proposal : form.name;
    const kind = gatewayKinds.find((candidate) =>
      [...values.keys()].some((part) => part.startsWith(`${candidate}.`)),
    );
    this.#fields.show({ ...form, name, ...(kind === undefined ? {} : { gatewayCredential: kind }) });
    for (const [part, text] of values) {
      const field = this.#fields.find(part);
      if (field === undefined || field.input.disabled) continue;
      field.input.value = text;
      field.input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  /** Shows each problem at its field, and focuses the first one. */
  #showProblems(problems: ProfileProblems): void {
    let first: FormField | undefined;
    for (const [name, field] of this.#fields.all) {
      field.showProblem(problems[name]);
      if (problems[name] !== undefined) first ??= field;
    }
    if (first === undefined) return;
    if (this.#more.contains(first.element)) this.#more.open = true;
    first.input.focus();
  }

  #setBusy(isBusy: boolean, sentence: string): void {
    this.#status.textContent = sentence;
    if (!isBusy) {
      // Checks that are still running must not report a result anymore.
      for (const [, field] of this.#fields.all)
        if (this.#isBusy && field.isChecking) field.showCheck("warning", t("The check was stopped."));
    }
    this.#isBusy = isBusy;
    this.#saveButton.textContent = isBusy ? t("Stop") : t("Check and Save");
    if (isBusy && this.#body.contains(document.activeElement)) this.#saveButton.focus();
    this.#body.disabled = isBusy;
  }

  #createKindGroup(kind: SecretKind): HTMLElement {
    const group = create("div", { class: "kind" });
    group.append(...this.#fields.secretsOf(kind).map(({ element }) => element));
    if (credentialKinds[kind].lifetime === "shortToken") group.append(this.#fields.texts.stsExpiry.element);
    if (credentialKinds[kind].lifetime === "key") {
      const button = textButton(t("Create a Key…"), () =>
        this.#host.post({ type: "createKey", kind, form: this.#fields.read() }),
      );
      this.#keyButtons.push(button);
      group.append(create("div", { class: "buttons" }, button));
    }
    return group;
  }

  #createForm(): HTMLFormElement {
    const { texts, choices } = this.#fields;
    const kind = (name: SecretKind): HTMLElement => this.#kindGroups.get(name) ?? create("div");
    this.#start.append(
      `${t("No account yet?")} `,
      linkButton(t("Start Local Gateway"), () => this.#host.post({ type: "startLocalGateway" })),
    );
    this.#more.append(
      create("summary", {}, t("More Options")),
      create(
        "div",
        { class: "kind" },
        texts.consoleUrl.element,
        texts.defaultModel.element,
        choices.apiKeyOptional,
        choices.allowInsecureHttp,
        choices.production,
        create(
          "p",
          { class: "hint" },
          linkButton(t("Edit all options in settings.json"), () => this.#host.post({ type: "openSettings" })),
        ),
      ),
    );
    this.#body.append(
      texts.name.element,
      createVariablesBox((variables) => this.#fillIn(variables)),
      section(t("Chat"), texts.inferenceBaseUrl.element, kind("apiKey")),
      section(
        t("GPU Servers"),
        texts.gatewayUrl.element,
        this.#fields.gatewayField,
        ...gatewayKinds.map(kind),
      ),
      this.#more,
    );
    return create(
      "form",
      { novalidate: "" },
      create("header", {}, this.#heading, this.#origin, this.#start),
      this.#body,
      create(
        "footer",
        {},
        this.#status,
        create(
          "div",
          { class: "buttons" },
          this.#saveButton,
          textButton(t("Cancel"), () => this.#host.post({ type: "cancel" })),
        ),
      ),
    );
  }
}

/** What differs from an empty form. */
function typedFields(form: ProfileForm): Partial<ProfileForm> {
  const empty: Readonly<Record<string, unknown>> = emptyProfileForm;
  return Object.fromEntries(Object.entries(form).filter(([name, value]) => value !== empty[name]));
}

const host: ProfileHost = acquirePageHost();

reportErrors(host);

const root = document.getElementById("app");
if (root !== null) {
  const page = new ProfilePage(root, host);
  onHostMessage<ToProfilePage>((message) => page.receive(message));
  keepPageKeys();
  host.post({ type: "ready" });
}
