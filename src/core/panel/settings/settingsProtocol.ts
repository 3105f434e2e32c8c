import type { ConversationSettings } from "../../conversation/conversation.ts";
import { isRecord } from "../../kernel/json.ts";
import { parsePresetChange } from "./chatPreferences.ts";
import type { ChatPreferences, PresetChange } from "./chatPreferences.ts";
import { parseSettings } from "../../conversation/parseSettings.ts";
import type { SettingsField } from "./settingsForm.ts";

/** Host to page: messages about the settings of the conversation. */
export type SettingsMessage =
  | { readonly type: "settings"; readonly settings: ConversationSettings }
  | { readonly type: "preferences"; readonly preferences: ChatPreferences }
  /** Opens the form with this field focused. */
  | { readonly type: "editSettings"; readonly field: SettingsField };

/** Page to host: messages about the settings of the conversation. */
export type SettingsRequest =
  | { readonly type: "changeSettings"; readonly settings: ConversationSettings }
  | { readonly type: "changePresets"; readonly change: PresetChange };

/** Validates a message from the page; undefined for anything else. */
export function parseSettingsRequest(value: unknown): SettingsRequest | undefined {
  if (!isRecord(value)) return undefined;
  switch (value["type"]) {
    case "changeSettings":
      return { type: "changeSettings", settings: parseSettings(value["settings"]) };
    case "changePresets": {
      const change = parsePresetChange(value["change"]);
      return change === undefined ? undefined : { type: "changePresets", change };
    }
    default:
      return undefined;
  }
}
