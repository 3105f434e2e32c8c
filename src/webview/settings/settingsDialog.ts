import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import { emptyPreferences } from "../../core/panel/settings/chatPreferences.ts";
import type { ChatPreferences } from "../../core/panel/settings/chatPreferences.ts";
import { applyPreset, findPreset, presetLabel } from "../../core/conversation/presets.ts";
import type { Preset } from "../../core/conversation/presets.ts";
import { createSettingsForm, readSettingsForm } from "../../core/panel/settings/settingsForm.ts";
import type { FormResult, SettingsField } from "../../core/panel/settings/settingsForm.ts";
import { create, iconButton, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import { SettingsFields } from "./settingsFields.ts";

interface PresetRowActions {
  onChoose(preset: Preset): void;
  onSave(name: string): void;
  onDelete(name: string): void;
  onDefault(name: string | undefined): void;
}

/** Chooses a preset, saves the form's values as one, deletes one, and sets the one that new chats start with. */
class PresetRow {
  readonly element: HTMLElement;
  readonly #actions: PresetRowActions;
  readonly #select = create("select", { id: "setting-preset" });
  readonly #name = create("input", { type: "text", id: "preset-name", autocomplete: "off", maxlength: "60" });
  readonly #naming: HTMLElement;
  readonly #remove: HTMLElement;
  readonly #isDefault = create("input", { type: "checkbox", id: "preset-default" });
  readonly #defaultLabel: HTMLElement;
  #preferences: ChatPreferences = { presets: [], prices: {} };

  constructor(actions: PresetRowActions) {
    this.#actions = actions;
    this.#remove = iconButton("trash", t("Delete This Preset"), () => actions.onDelete(this.#select.value));
    const save = iconButton("save", t("Save as Preset…"), () => this.#showNaming(true));
    this.#naming = create(
      "div",
      { class: "preset-naming" },
      create("label", { for: this.#name.id }, t("Name of the preset")),
      this.#name,
      textButton(t("Save Preset"), () => this.#save(), "primary"),
    );
    this.#defaultLabel = create(
      "label",
      { class: "preset-default" },
      this.#isDefault,
      t("Use this preset for new chats"),
    );
    this.element = create(
      "div",
      { class: "preset-row" },
      create("label", { for: this.#select.id }, t("Preset")),
      create("div", { class: "preset-choice" }, this.#select, save, this.#remove),
      this.#defaultLabel,
      this.#naming,
    );
    this.#showNaming(false);
    this.#select.addEventListener("change", (event) => this.#onChoose(event));
    this.#isDefault.addEventListener("change", (event) => {
      event.stopPropagation();
      actions.onDefault(this.#isDefault.checked ? this.#select.value : undefined);
    });
    this.#name.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param chosen The preset that matches the form, if any. */
  show(preferences: ChatPreferences, chosen: Preset | undefined): void {
    this.#preferences = preferences;
    this.#select.replaceChildren(
      create("option", { value: "" }, t("None")),
      ...preferences.presets.map((preset) => create("option", { value: preset.name }, presetLabel(preset))),
    );
    this.choose(chosen);
  }

  choose(preset: Preset | undefined): void {
    this.#select.value = preset?.name ?? "";
    this.#remove.hidden = preset === undefined || preset.isBuiltIn;
    this.#defaultLabel.hidden = preset === undefined;
    this.#isDefault.checked = preset !== undefined && preset.name === this.#preferences.defaultPreset;
  }

  #onChoose(event: Event): void {
    event.stopPropagation();
    const preset = this.#preferences.presets.find(({ name }) => name === this.#select.value);
    this.choose(preset);
    if (preset !== undefined) this.#actions.onChoose(preset);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      this.#save();
    } else if (event.key === "Escape" && !event.isComposing) {
      // Closes the name field, not the surrounding dialog.
      event.preventDefault();
      event.stopPropagation();
      this.#showNaming(false);
    }
  }

  #showNaming(isShown: boolean): void {
    this.#naming.hidden = !isShown;
    if (!isShown) return;
    this.#name.value = "";
    this.#name.focus();
  }

  #save(): void {
    const name = this.#name.value.trim();
    if (name === "") return this.#name.focus();
    this.#showNaming(false);
    this.#actions.onSave(name);
    this.#select.focus();
  }
}

/** The form with a conversation's model parameters. Nothing changes until it is applied. */
export class SettingsDialog {
  readonly element = create("dialog", { class: "settings", "aria-labelledby": "settings-title" });
  readonly #host: Host;
  readonly #fields = new SettingsFields(() => this.#onChange());
  readonly #presets: PresetRow;
  #settings: ConversationSettings = {};
  #preferences = emptyPreferences;

  constructor(host: Host) {
    this.#host = host;
    this.#presets = new PresetRow({
      onChoose: (preset) => this.#choose(preset),
      onSave: (name) => this.#save(name),
      onDelete: (name) => host.post({ type: "deletePreset", name }),
      onDefault: (name) =>
        host.post(name === undefined ? { type: "setDefaultPreset" } : { type: "setDefaultPreset", name }),
    });
    const form = create("form", {}, this.#createHeader(), this.#createBody(), this.#createFooter());
    form.noValidate = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#apply();
    });
    this.element.append(form);
    // A click outside the form closes it, as in VS Code's own dialogs.
    this.element.addEventListener("mousedown", (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  /** Shows the conversation's current settings. An open form keeps what the user is typing. */
  showSettings(settings: ConversationSettings): void {
    this.#settings = settings;
  }

  showPreferences(preferences: ChatPreferences): void {
    this.#preferences = preferences;
    if (this.element.open) this.#presets.show(preferences, this.#foundPreset());
  }

  open(field: SettingsField = "systemPrompt"): void {
    if (!this.element.open) {
      this.#fields.show(createSettingsForm(this.#settings));
      this.#fields.showProblems({});
      this.#presets.show(this.#preferences, this.#foundPreset());
      this.element.showModal();
    }
    this.#fields.focus(field);
  }

  /** What is in the fields; undefined if it isn't open. */
  get typed(): Readonly<Record<string, string>> | undefined {
    return this.element.open ? { ...this.#fields.read() } : undefined;
  }

  fill(typed: Readonly<Record<string, string>>): void {
    this.#fields.fill(typed);
    this.#onChange();
  }

  #createHeader(): HTMLElement {
    return create(
      "header",
      { class: "settings-header" },
      create("h2", { id: "settings-title" }, t("Chat Settings")),
      iconButton("close", t("Close"), () => this.element.close()),
    );
  }

  #createBody(): HTMLElement {
    return create("div", { class: "settings-body" }, this.#presets.element, this.#fields.element);
  }

  #createFooter(): HTMLElement {
    const apply = create("button", { type: "submit", class: "button primary" }, t("Apply"));
    return create(
      "footer",
      { class: "settings-footer" },
      create("p", { class: "settings-hint" }, t("Applies to this conversation. Empty fields aren't sent.")),
      create(
        "div",
        { class: "buttons" },
        textButton(t("Clear All"), () => this.#clear()),
        textButton(t("Cancel"), () => this.element.close()),
        apply,
      ),
    );
  }

  #read(): FormResult {
    return readSettingsForm(this.#fields.read(), this.#settings);
  }

  #foundPreset(): Preset | undefined {
    const reading = this.#read();
    if (!reading.isValid || reading.settings.parameters === undefined) return undefined;
    return findPreset(reading.settings, this.#preferences.presets);
  }

  #onChange(): void {
    const reading = this.#read();
    this.#fields.showProblems(reading.isValid ? {} : reading.problems);
    this.#presets.choose(this.#foundPreset());
  }

  #choose(preset: Preset): void {
    const form = this.#fields.read();
    const reading = this.#read();
    const prompt = form.systemPrompt.trim() === "" ? {} : { systemPrompt: form.systemPrompt };
    const base = reading.isValid ? reading.settings : { ...this.#settings, ...prompt };
    this.#fields.show(createSettingsForm(applyPreset(base, preset)));
    this.#fields.showProblems({});
  }

  #save(name: string): void {
    const reading = this.#read();
    if (!reading.isValid) return this.#showProblems(reading.problems);
    this.#host.post({ type: "savePreset", name, settings: reading.settings });
  }

  #clear(): void {
    this.#fields.show(createSettingsForm({}));
    this.#onChange();
    this.#fields.focus("systemPrompt");
  }

  #apply(): void {
    const reading = this.#read();
    if (!reading.isValid) return this.#showProblems(reading.problems);
    this.#host.post({ type: "changeSettings", settings: reading.settings });
    this.element.close();
  }

  #showProblems(problems: Readonly<Partial<Record<SettingsField, string>>>): void {
    this.#fields.showProblems(problems);
    this.element.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }
}
