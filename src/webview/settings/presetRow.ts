import { t } from "@vscode/l10n";
import { presetLabel } from "../../core/panel/settings/presets.ts";
import type { Preset } from "../../core/panel/settings/presets.ts";
import type { ChatPreferences } from "../../core/panel/settings/chatPreferences.ts";
import { create, iconButton, textButton } from "../kit/dom.ts";

export interface PresetRowActions {
  onChoose(preset: Preset): void;
  onSave(name: string): void;
  onDelete(name: string): void;
  onDefault(name: string | undefined): void;
}

/** Chooses a preset, saves the form's values as one, deletes one, and sets the one that new chats start with. */
export class PresetRow {
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
