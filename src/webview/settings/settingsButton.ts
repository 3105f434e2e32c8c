import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import type { ChatPreferences } from "../../core/panel/settings/chatPreferences.ts";
import { settingsSummary } from "../../core/panel/settings/settingsSummary.ts";
import { create, icon } from "../kit/dom.ts";

/** Opens the settings of the conversation and says in a few words what they are. */
export class SettingsButton {
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
    const label = words === "" ? t("Chat settings") : t("Chat settings: {0}", words);
    this.element.setAttribute("aria-label", label);
    this.element.title = label;
  }
}
