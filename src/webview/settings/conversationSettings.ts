import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import { emptyPreferences } from "../../core/panel/settings/chatPreferences.ts";
import type { ChatPreferences } from "../../core/panel/settings/chatPreferences.ts";
import type { SettingsField, SettingsMessage } from "../../core/panel/settings/settingsForm.ts";
import { settingsSummary } from "../../core/panel/settings/settingsSummary.ts";
import { create, icon, iconButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import type { SettingsDialog } from "./settingsDialog.ts";
import { responseFormat } from "../../core/responses/structured/responseFormat.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Shows how many tools the conversation may use, and opens VS Code's list of them. */
class ToolsButton {
  readonly element = create("button", { type: "button", class: "bar-button" });
  readonly #count = create("span", { class: "bar-count" });

  constructor(host: Host) {
    this.element.append(icon("tools"), this.#count);
    this.element.addEventListener("click", () => host.post({ type: "action", id: "selectTools" }));
    this.show({});
  }

  show({ tools = [] }: ConversationSettings): void {
    const words =
      tools.length === 0 ? t("Select Tools") : t("Select Tools: {0} selected", formatNumber(tools.length));
    this.element.title = words;
    this.element.setAttribute("aria-label", words);
    this.#count.textContent = tools.length === 0 ? "" : String(tools.length);
    this.element.classList.toggle("unset", tools.length === 0);
  }
}

/** Shows the response format: a button to choose one, or the chosen format with a way to remove it. */
class FormatButton {
  readonly element = create("span", { class: "format" });
  readonly #host: Host;
  #name: string | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.#show(undefined);
  }

  show(settings: ConversationSettings): void {
    const format = responseFormat(settings);
    const name =
      format === undefined ? undefined : format.type === "jsonObject" ? t("Any JSON") : format.name;
    if (name === this.#name) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#show(name);
    if (hadFocus) this.element.querySelector("button")?.focus();
  }

  #show(name: string | undefined): void {
    this.#name = name;
    this.element.classList.toggle("chip", name !== undefined);
    this.element.classList.toggle("unset", name === undefined);
    if (name === undefined) {
      const set = iconButton("json", t("Response Format: Text"), () => this.#ask("setResponseFormat"));
      set.className = "bar-button";
      return this.element.replaceChildren(set);
    }
    const open = create(
      "button",
      { type: "button", class: "bar-button", title: t("Response format: {0}. Select to open it.", name) },
      icon("json"),
      create("span", { class: "chip-name", dir: "auto" }, name),
    );
    open.addEventListener("click", () => this.#ask("openResponseSchema"));
    const remove = iconButton("close", t("Remove the response format {0}", name), () =>
      this.#ask("removeResponseFormat"),
    );
    remove.className = "bar-button";
    this.element.replaceChildren(open, remove);
  }

  #ask(id: "setResponseFormat" | "openResponseSchema" | "removeResponseFormat"): void {
    this.#host.post({ type: "action", id });
  }
}

/** Opens the conversation's settings and summarizes them in a few words. */
class SettingsButton {
  readonly element = create("button", { type: "button", class: "settings-button" });
  readonly #words = create("span", { class: "settings-words", dir: "auto" });

  constructor(onClick: () => void) {
    this.element.append(icon("settings"), this.#words);
    this.element.addEventListener("click", onClick);
    this.show({}, { presets: [], prices: {} });
  }

  show(settings: ConversationSettings, { presets }: ChatPreferences): void {
    const words = settingsSummary(settings, presets).join(" · ");
    this.#words.textContent = words;
    this.element.classList.toggle("unset", words === "");
    const label = words === "" ? t("Chat settings") : t("Chat settings: {0}", words);
    this.element.setAttribute("aria-label", label);
    this.element.title = label;
  }
}

/** The settings of the conversation on the page: buttons in the composer's bar, and the form that one of them opens. */
export class ConversationSettingsView {
  readonly buttons: readonly HTMLElement[];
  /** The container for the form once it is loaded. */
  readonly container = create("div", {});
  readonly #host: Host;
  readonly #button: SettingsButton;
  readonly #tools: ToolsButton;
  readonly #format: FormatButton;
  #dialog: SettingsDialog | undefined;
  #settings: ConversationSettings = {};
  #preferences: ChatPreferences = emptyPreferences;

  constructor(host: Host) {
    this.#host = host;
    this.#button = new SettingsButton(() => void this.#open());
    this.#tools = new ToolsButton(host);
    this.#format = new FormatButton(host);
    this.buttons = [this.#format.element, this.#tools.element, this.#button.element];
  }

  show(settings: ConversationSettings): void {
    this.#settings = settings;
    this.#dialog?.showSettings(settings);
    this.#button.show(settings, this.#preferences);
    this.#tools.show(settings);
    this.#format.show(settings);
  }

  receive(message: SettingsMessage): void {
    switch (message.type) {
      case "settings":
        return this.show(message.settings);
      case "preferences":
        return this.#showPreferences(message.preferences);
      case "editSettings":
        return void this.#open(message.field);
    }
  }

  /** What is in the fields of the form; undefined if it isn't open. */
  get typed(): Readonly<Record<string, string>> | undefined {
    return this.#dialog?.typed;
  }

  /** Opens the form as it was when the page was closed. */
  async reopen(typed: Readonly<Record<string, string>>): Promise<void> {
    (await this.#open()).fill(typed);
  }

  async #open(field?: SettingsField): Promise<SettingsDialog> {
    const { SettingsDialog } = await import("./settingsDialog.ts");
    const dialog = (this.#dialog ??= this.#addDialog(new SettingsDialog(this.#host)));
    dialog.open(field);
    return dialog;
  }

  #addDialog(dialog: SettingsDialog): SettingsDialog {
    dialog.showSettings(this.#settings);
    dialog.showPreferences(this.#preferences);
    this.container.replaceChildren(dialog.element);
    return dialog;
  }

  #showPreferences(preferences: ChatPreferences): void {
    this.#preferences = preferences;
    this.#dialog?.showPreferences(preferences);
    this.#button.show(this.#settings, preferences);
  }
}
