import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../conversation/conversation.ts";
import { isRecord } from "../../kernel/json.ts";
import type { JsonValue } from "../../kernel/json.ts";
import { responseFormat } from "../../responses/structured/responseFormat.ts";
import { findPreset, presetLabel } from "../../conversation/presets.ts";
import type { Preset } from "../../conversation/presets.ts";

/** Everything that differs from the service's own defaults, in a few words each; empty if nothing does. */
export function settingsSummary(
  settings: ConversationSettings,
  presets: readonly Preset[],
): readonly string[] {
  const { systemPrompt, parameters = {} } = settings;
  const hasParameters = Object.keys(parameters).length > 0;
  // A recognized format is already shown by name next to the summary.
  const isFormatShown = responseFormat(settings) !== undefined;
  const named = Object.entries(parameters).filter(([name]) => !isFormatShown || name !== "response_format");
  const preset = hasParameters ? findPreset(settings, presets) : undefined;
  const words = preset === undefined ? named.map(describeParameter) : [presetLabel(preset)];
  return [...words, ...(systemPrompt === undefined ? [] : [t("system prompt")])];
}

function describeParameter([name, value]: readonly [string, JsonValue]): string {
  switch (name) {
    case "temperature":
      return t("temp {0}", String(value));
    case "max_tokens":
      return t("max {0} tokens", String(value));
    case "reasoning_effort":
      return t("effort {0}", String(value));
    case "response_format":
      return isRecord(value) ? String(value["type"]) : name;
    case "top_p":
    case "seed":
      return `${name} ${String(value)}`;
    default:
      return name;
  }
}
