import { t } from "@vscode/l10n";
import { reasoningEfforts } from "../../core/account/modelOptions.ts";
import { numberLabel, numberParameters } from "../../core/conversation/parameters.ts";
import type { NumberParameter } from "../../core/conversation/parameters.ts";
import { createSettingsForm } from "../../core/panel/settings/settingsForm.ts";
import type { SettingsField, SettingsForm } from "../../core/panel/settings/settingsForm.ts";
import { create } from "../kit/dom.ts";

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Field {
  readonly label: string;
  readonly hint: string;
  readonly control: Control;
  readonly isWide?: true;
}

/** The fields of the settings, each with its label, a hint and space for an error message. */
export class SettingsFields {
  readonly element = create("div", { class: "settings-fields" });
  readonly #fields = createFields();
  readonly #problems = new Map<SettingsField, HTMLElement>();

  constructor(onChange: () => void) {
    for (const name of formFields) this.#add(name, this.#fields[name]);
    this.#fields.other.control.classList.add("code-field");
    this.element.addEventListener("change", onChange);
  }

  read(): SettingsForm {
    const form = { ...createSettingsForm({}) };
    for (const name of formFields) form[name] = this.#fields[name].control.value;
    return form;
  }

  show(form: SettingsForm): void {
    this.#fill("reasoning_effort", [...reasoningEfforts, form.reasoning_effort]);
    this.#fill("response_format", ["text", "json_object", form.response_format]);
    this.#fields.whenTooLong.control.replaceChildren(
      create("option", { value: "" }, t("Default from settings")),
      create("option", { value: "oldest" }, t("Leave out the oldest turns")),
      create("option", { value: "files" }, t("Leave out files first")),
    );
    for (const name of formFields) this.#fields[name].control.value = form[name];
  }

  /** Puts these values into their fields. */
  fill(values: Readonly<Record<string, string>>): void {
    for (const name of formFields) this.#fields[name].control.value = values[name] ?? "";
  }

  showProblems(problems: Readonly<Partial<Record<SettingsField, string>>>): void {
    for (const [name, problemElement] of this.#problems) {
      const problem = problems[name];
      const { control } = this.#fields[name];
      problemElement.textContent = problem ?? "";
      if (problem === undefined) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    }
  }

  focus(field: SettingsField): void {
    this.#fields[field].control.focus();
  }

  #add(name: SettingsField, { label, hint, control, isWide }: Field): void {
    control.id = `setting-${name}`;
    control.setAttribute("aria-describedby", `${control.id}-hint ${control.id}-problem`);
    const problem = create("p", { id: `${control.id}-problem`, class: "settings-problem", role: "alert" });
    this.#problems.set(name, problem);
    this.element.append(
      create(
        "div",
        { class: isWide === true ? "settings-field wide" : "settings-field" },
        create("label", { for: control.id }, label),
        control,
        create("p", { id: `${control.id}-hint`, class: "settings-hint" }, hint),
        problem,
      ),
    );
  }

  /** The values to choose from. The empty one isn't sent. */
  #fill(name: SettingsField, values: readonly string[]): void {
    const options = [...new Set(values)].filter((value) => value !== "");
    this.#fields[name].control.replaceChildren(
      create("option", { value: "" }, t("Not sent")),
      ...options.map((value) => create("option", { value }, value)),
    );
  }
}

const formFields: readonly SettingsField[] = [
  "systemPrompt",
  ...numberParameters,
  "reasoning_effort",
  "response_format",
  "whenTooLong",
  "stop",
  "other",
];

function createFields(): Readonly<Record<SettingsField, Field>> {
  const number = (name: NumberParameter, hint: string): Field => ({
    label: numberLabel(name),
    hint,
    control: numberInput(),
  });
  return {
    systemPrompt: {
      label: t("System prompt"),
      hint: t("Sent as the first message of every request."),
      control: area("4", t("Not sent")),
      isWide: true,
    },
    temperature: number("temperature", t("0 is most predictable, 2 is most random.")),
    top_p: number("top_p", t("Nucleus sampling, 0 to 1.")),
    max_tokens: number("max_tokens", t("Maximum length of the response.")),
    seed: number("seed", t("The same seed produces the same response.")),
    presence_penalty: number("presence_penalty", t("−2 to 2. Higher values encourage new topics.")),
    frequency_penalty: number("frequency_penalty", t("−2 to 2. Higher values reduce repetition.")),
    reasoning_effort: {
      label: t("Reasoning effort"),
      hint: t("For reasoning models."),
      control: create("select"),
    },
    response_format: {
      label: t("Response format"),
      hint: t("Required format of responses."),
      control: create("select"),
    },
    whenTooLong: {
      label: t("When the context is full"),
      hint: t("What to leave out when the context window is full."),
      control: create("select"),
    },
    stop: {
      label: t("Stop sequences"),
      hint: t("One per line. \\n inserts a line break."),
      control: area("2", t("Not sent")),
      isWide: true,
    },
    other: {
      label: t("Other parameters"),
      hint: t("Additional fields of the request body, as JSON."),
      control: area("3", '{"top_k": 40}'),
      isWide: true,
    },
  };
}

/** Not of the type `number`, which hides invalid input, so that no error message could refer to it. */
function numberInput(): HTMLInputElement {
  return create("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    placeholder: t("Not sent"),
  });
}

function area(rows: string, placeholder: string): HTMLTextAreaElement {
  return create("textarea", { rows, dir: "auto", spellcheck: "false", placeholder });
}
