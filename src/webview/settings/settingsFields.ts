import { t } from "@vscode/l10n";
import { reasoningEfforts } from "../../core/account/modelOptions.ts";
import { numberLabel, numberParameters } from "../../core/conversation/parameters.ts";
import type { NumberParameter } from "../../core/conversation/parameters.ts";
import type { SettingsField, SettingsForm } from "../../core/panel/settings/settingsForm.ts";
import { create } from "../kit/dom.ts";

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The fields of the settings, each with its label, a hint and space for an error message. */
export class SettingsFields {
  readonly element = create("div", { class: "settings-fields" });
  readonly #controls: Readonly<Record<SettingsField, Control>>;
  readonly #problems = new Map<SettingsField, HTMLElement>();

  constructor(onChange: () => void) {
    this.#controls = {
      systemPrompt: area("4", t("Not sent")),
      ...createNumberInputs(),
      reasoning_effort: create("select"),
      response_format: create("select"),
      whenTooLong: create("select"),
      stop: area("2", t("Not sent")),
      other: area("3", '{"top_k": 40}'),
    };
    this.#add("systemPrompt", t("System prompt"), t("Sent as the first message of every request."), "wide");
    for (const name of numberParameters) this.#add(name, numberLabel(name), numberHint(name));
    this.#add("reasoning_effort", t("Reasoning effort"), t("For reasoning models."));
    this.#add("response_format", t("Response format"), t("Required format of responses."));
    this.#add(
      "whenTooLong",
      t("When the context is full"),
      t("What to leave out when the context window is full."),
    );
    this.#add("stop", t("Stop sequences"), t("One per line. \\n inserts a line break."), "wide");
    this.#add("other", t("Other parameters"), t("Additional fields of the request body, as JSON."), "wide");
    this.#controls.other.classList.add("code-field");
    this.element.addEventListener("change", onChange);
  }

  read(): SettingsForm {
    const { systemPrompt, reasoning_effort, response_format, whenTooLong, stop, other } = this.#controls;
    return {
      ...this.#readNumbers(),
      systemPrompt: systemPrompt.value,
      reasoning_effort: reasoning_effort.value,
      response_format: response_format.value,
      whenTooLong: whenTooLong.value,
      stop: stop.value,
      other: other.value,
    };
  }

  show(form: SettingsForm): void {
    this.#fill("reasoning_effort", [...reasoningEfforts, form.reasoning_effort]);
    this.#fill("response_format", ["text", "json_object", form.response_format]);
    this.#controls.whenTooLong.replaceChildren(
      create("option", { value: "" }, t("Default from settings")),
      create("option", { value: "oldest" }, t("Leave out the oldest turns")),
      create("option", { value: "files" }, t("Leave out files first")),
    );
    for (const [name, control] of this.#entries()) control.value = form[name];
  }

  showProblems(problems: Readonly<Partial<Record<SettingsField, string>>>): void {
    for (const [name, control] of this.#entries()) {
      const problem = problems[name];
      const problemElement = this.#problems.get(name);
      if (problemElement !== undefined) problemElement.textContent = problem ?? "";
      if (problem === undefined) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    }
  }

  focus(field: SettingsField): void {
    this.#controls[field].focus();
  }

  #entries(): readonly (readonly [SettingsField, Control])[] {
    return formFields.map((name) => [name, this.#controls[name]] as const);
  }

  #readNumbers(): Readonly<Record<NumberParameter, string>> {
    const { temperature, top_p, max_tokens, seed, presence_penalty, frequency_penalty } = this.#controls;
    return {
      temperature: temperature.value,
      top_p: top_p.value,
      max_tokens: max_tokens.value,
      seed: seed.value,
      presence_penalty: presence_penalty.value,
      frequency_penalty: frequency_penalty.value,
    };
  }

  #add(name: SettingsField, label: string, hint: string, width = ""): void {
    const control = this.#controls[name];
    control.id = `setting-${name}`;
    control.setAttribute("aria-describedby", `${control.id}-hint ${control.id}-problem`);
    const problem = create("p", { id: `${control.id}-problem`, class: "settings-problem", role: "alert" });
    this.#problems.set(name, problem);
    this.element.append(
      create(
        "div",
        { class: `settings-field ${width}`.trim() },
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
    this.#controls[name].replaceChildren(
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

function numberHint(name: NumberParameter): string {
  switch (name) {
    case "temperature":
      return t("0 is most predictable, 2 is most random.");
    case "top_p":
      return t("Nucleus sampling, 0 to 1.");
    case "max_tokens":
      return t("Maximum length of the response.");
    case "seed":
      return t("The same seed produces the same response.");
    case "presence_penalty":
      return t("−2 to 2. Higher values encourage new topics.");
    case "frequency_penalty":
      return t("−2 to 2. Higher values reduce repetition.");
  }
}

function createNumberInputs(): Readonly<Record<NumberParameter, HTMLInputElement>> {
  return {
    temperature: numberInput(),
    top_p: numberInput(),
    max_tokens: numberInput(),
    seed: numberInput(),
    presence_penalty: numberInput(),
    frequency_penalty: numberInput(),
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
