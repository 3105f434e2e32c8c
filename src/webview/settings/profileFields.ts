import { t } from "@vscode/l10n";
import {
  credentialKinds,
  gatewayKinds,
  isSecretKind,
  secretKinds,
} from "../../core/account/credentialKinds.ts";
import {
  credentialFields,
  emptyProfileForm,
  flagFields,
  textFields,
} from "../../core/account/profileForm.ts";
import type {
  EnteredSecrets,
  FlagField,
  ProfileField,
  ProfileForm,
  ProfileProblems,
  SecretField,
  TextField,
} from "../../core/account/profileForm.ts";
import type { CheckState, CheckSubject, KnownCredential } from "../../core/account/profileFormProtocol.ts";
import type { SecretKind } from "../../core/kernel/credential.ts";
import { create, icon } from "../kit/dom.ts";

/** The name of a kind of credential as a label, in the casing of the other labels of the form. */
function kindLabel(kind: SecretKind): string {
  return credentialKinds[kind].noun().replace(/^./u, (letter) => letter.toUpperCase());
}

/** One labeled control with a hint, the result of a check, and a problem: all of them describe it to screen readers. */
export class FormField {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #hint: HTMLElement;
  readonly #check = create("p", { class: "check", role: "status" });
  readonly #problem: HTMLElement;
  readonly #usualHint: string;

  constructor(name: string, label: string, hint: string, attributes: Readonly<Record<string, string>>) {
    const id = `profile-${name.replace(".", "-")}`;
    this.#usualHint = hint;
    this.#check.id = `${id}-check`;
    this.#hint = create("p", { id: `${id}-hint`, class: "hint" }, hint);
    this.#problem = create("p", { id: `${id}-problem`, class: "problem", "aria-live": "polite" });
    this.input = create("input", {
      id,
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": `${id}-problem ${id}-check ${id}-hint`,
      ...attributes,
    });
    this.element = create(
      "div",
      { class: "field" },
      create("label", { for: id }, label),
      this.input,
      this.#problem,
      this.#check,
      this.#hint,
    );
  }

  /** Undefined restores the usual hint. */
  showHint(hint = this.#usualHint): void {
    this.#hint.textContent = hint;
  }

  showProblem(problem = ""): void {
    this.#problem.textContent = problem;
    if (problem === "") this.input.removeAttribute("aria-invalid");
    else this.input.setAttribute("aria-invalid", "true");
  }

  /** An empty sentence removes the result. */
  showCheck(state: CheckState, sentence: string): void {
    this.#check.className = `check ${state}`;
    this.#check.replaceChildren(
      ...(sentence === "" ? [] : [icon(checkIcons[state]), create("span", { dir: "auto" }, sentence)]),
    );
  }

  get isChecking(): boolean {
    return this.#check.classList.contains("running") && this.#check.childElementCount > 0;
  }
}

const examples = {
  inferenceBaseUrl: "https://inference.example.com/v1",
  gatewayUrl: "https://gateway.example.com",
  consoleUrl: "https://console.example.com",
  model: "example/model",
} as const;

const checkIcons = { running: "loading", passed: "pass", warning: "warning", failed: "error" } as const;

/** All fields of the form. */
export class ProfileFields {
  readonly texts: Readonly<Record<TextField, FormField>>;
  readonly flags: Readonly<Record<FlagField, HTMLInputElement>> = {
    apiKeyOptional: checkbox(),
    allowInsecureHttp: checkbox(),
    production: checkbox(),
  };
  /** The flags with their labels. */
  readonly choices: Readonly<Record<FlagField, HTMLElement>> = {
    apiKeyOptional: choice(this.flags.apiKeyOptional, t("The inference service works without an API key")),
    allowInsecureHttp: choice(this.flags.allowInsecureHttp, t("Send credentials over plain HTTP, too")),
    production: choice(this.flags.production, t("Mark as production wherever the profile is shown")),
  };
  readonly gatewayCredential = create("select", {
    id: "profile-gatewayCredential",
    "aria-describedby": "profile-gatewayCredential-hint",
  });
  readonly gatewayHint = create("p", { id: "profile-gatewayCredential-hint", class: "hint" });
  readonly gatewayField = create(
    "div",
    { class: "field" },
    create("label", { for: this.gatewayCredential.id }, t("Credential")),
    this.gatewayCredential,
    this.gatewayHint,
  );
  readonly secrets: ReadonlyMap<SecretField, FormField>;
  readonly #byName: ReadonlyMap<ProfileField, FormField>;
  readonly #accessKeys = new Map<SecretKind, string>();

  constructor() {
    const url = { inputmode: "url", dir: "ltr" };
    this.texts = {
      name: new FormField("name", t("Name"), t("For example, the name of your cloud."), { required: "" }),
      inferenceBaseUrl: new FormField(
        "inferenceBaseUrl",
        t("Inference base URL"),
        t("Including /v1. Leave empty if you only manage servers."),
        { ...url, placeholder: examples.inferenceBaseUrl },
      ),
      gatewayUrl: new FormField(
        "gatewayUrl",
        t("GPU gateway URL"),
        t("Without /gpu/api/v1. Leave empty if you only chat."),
        { ...url, placeholder: examples.gatewayUrl },
      ),
      consoleUrl: new FormField(
        "consoleUrl",
        t("Console URL"),
        t("The web page where you create keys. “Create a Key…” opens it."),
        { ...url, placeholder: examples.consoleUrl },
      ),
      defaultModel: new FormField(
        "defaultModel",
        t("Default model"),
        t("The model that new conversations start with. If empty, the one that you selected last."),
        { dir: "ltr", placeholder: examples.model },
      ),
      stsExpiry: new FormField(
        "stsExpiry",
        t("Expires"),
        t(
          "A duration such as 55m, or a time such as 14:30. Leave empty if unknown, or if the token contains it.",
        ),
        { dir: "ltr" },
      ),
    };
    this.secrets = new Map(
      secretKinds.flatMap((kind) =>
        credentialFields(kind).map((name) => {
          const isApiSecret = name.slice(kind.length + 1) === "apiSecret";
          const label = isApiSecret ? t("API secret") : kindLabel(kind);
          return [name, new FormField(name, label, "", { type: "password", dir: "ltr" })] as const;
        }),
      ),
    );
    this.#byName = new Map<ProfileField, FormField>([
      ...textFields.map((name) => [name, this.texts[name]] as const),
      ...this.secrets,
    ]);
    this.gatewayCredential.append(
      ...gatewayKinds.map((kind) => create("option", { value: kind }, kindLabel(kind))),
    );
  }

  /** The field that a problem refers to. */
  find(name: ProfileField): FormField | undefined {
    return this.#byName.get(name);
  }

  /** All fields with their names, in the order of the form. */
  get all(): readonly (readonly [ProfileField, FormField])[] {
    return [...this.#byName];
  }

  secretsOf(kind: SecretKind): readonly FormField[] {
    return credentialFields(kind).flatMap((name) => this.secrets.get(name) ?? []);
  }

  /** The field at which the result of a check is shown. */
  ofSubject(subject: CheckSubject): FormField | undefined {
    if (isSecretKind(subject)) return this.secretsOf(subject)[0];
    return this.texts[subject === "inference" ? "inferenceBaseUrl" : "gatewayUrl"];
  }

  /** Shows what is known about a stored credential. One that is supplied from elsewhere can't be entered. */
  showKnown(kind: SecretKind, known: KnownCredential | undefined): void {
    const fields = this.secretsOf(kind);
    fields[0]?.showHint(known?.sentence);
    for (const { input } of fields) input.disabled = known?.isSupplied === true;
  }

  read(): ProfileForm {
    const kind = gatewayKinds.find((known) => known === this.gatewayCredential.value) ?? "accessKey";
    const form = { ...emptyProfileForm, gatewayCredential: kind };
    for (const name of textFields) form[name] = this.texts[name].input.value;
    for (const name of flagFields) form[name] = this.flags[name].checked;
    return form;
  }

  show(form: ProfileForm): void {
    for (const name of textFields) this.texts[name].input.value = form[name];
    for (const name of flagFields) this.flags[name].checked = form[name];
    this.gatewayCredential.value = form.gatewayCredential;
  }

  /** What was entered into the secret fields that are in use. */
  readSecrets(): EnteredSecrets {
    const entered = [...this.secrets].filter(([, { input }]) => !input.disabled && input.value.trim() !== "");
    return Object.fromEntries(entered.map(([name, { input }]) => [name, input.value]));
  }

  /** Of a pair that was entered, the part that isn't secret is remembered until the next one. */
  forgetSecrets(): void {
    this.#accessKeys.clear();
    for (const kind of secretKinds) {
      const [first, ...others] = this.secretsOf(kind);
      if (first !== undefined && others.length > 0) this.#accessKeys.set(kind, first.input.value);
    }
    for (const { input } of this.secrets.values()) input.value = "";
  }

  /** Shows the access key of a pair that was refused again, so that only its secret has to be entered. */
  restoreAccessKeys(refused: ProfileProblems): void {
    for (const [kind, accessKey] of this.#accessKeys) {
      const [field, secret] = this.secretsOf(kind);
      const isRefused = credentialFields(kind).some((name) => refused[name] !== undefined);
      if (field === undefined || secret === undefined || !isRefused || accessKey === "") continue;
      if (field.input.value === "") field.input.value = accessKey;
      secret.input.focus();
    }
  }
}

function checkbox(): HTMLInputElement {
  return create("input", { type: "checkbox" });
}

function choice(input: HTMLInputElement, label: string): HTMLElement {
  return create("label", { class: "choice" }, input, create("span", {}, label));
}

/** Fields under a common title. */
export function section(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return create("fieldset", { class: "section" }, create("legend", {}, title), ...content);
}
