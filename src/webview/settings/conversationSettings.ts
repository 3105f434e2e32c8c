import type { ConversationSettings } from "../../core/conversation.ts";
import { emptyPreferences } from "../../core/settings/chatPreferences.ts";
import type { ChatPreferences } from "../../core/settings/chatPreferences.ts";
import type { SettingsMessage } from "../../core/settings/settingsProtocol.ts";
import type { Host } from "../host.ts";
import { SettingsButton } from "./settingsButton.ts";
import { SettingsDialog } from "./settingsDialog.ts";

/** The settings of the conversation on the page: the button in the composer's bar and the form that it opens. */
export class ConversationSettingsView {
  readonly button: HTMLElement;
  readonly dialog: HTMLElement;
  readonly #button: SettingsButton;
  readonly #dialog: SettingsDialog;
  #settings: ConversationSettings = {};
  #preferences: ChatPreferences = emptyPreferences;

  constructor(host: Host) {
    this.#dialog = new SettingsDialog(host);
    this.#button = new SettingsButton(() => this.#dialog.open());
    this.button = this.#button.element;
    this.dialog = this.#dialog.element;
  }

  show(settings: ConversationSettings): void {
    this.#settings = settings;
    this.#dialog.showSettings(settings);
    this.#button.show(settings, this.#preferences);
  }

  receive(message: SettingsMessage): void {
    switch (message.type) {
      case "settings":
        return this.show(message.settings);
      case "preferences":
        return this.#showPreferences(message.preferences);
      case "editSettings":
        return this.#dialog.open(message.field);
    }
  }

  #showPreferences(preferences: ChatPreferences): void {
    this.#preferences = preferences;
    this.#dialog.showPreferences(preferences);
    this.#button.show(this.#settings, preferences);
  }
}
