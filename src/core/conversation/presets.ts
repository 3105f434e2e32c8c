import { t } from "@vscode/l10n";
import { isRecord, stringField } from "../kernel/json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ConversationSettings } from "./conversation.ts";
import { parseSettings } from "./parameters.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** Named settings to start with. */
export interface Preset {
  /** The name that settings refer to: the user's own, or the English one of a built-in preset. */
  readonly name: string;
  readonly systemPrompt?: string;
  readonly parameters: JsonObject;
  readonly isBuiltIn: boolean;
}

const builtIn: readonly Preset[] = [
  { name: "Precise", parameters: { temperature: 0.2 }, isBuiltIn: true },
  { name: "Balanced", parameters: { temperature: 0.7 }, isBuiltIn: true },
  { name: "Creative", parameters: { temperature: 1, top_p: 0.95 }, isBuiltIn: true },
];

/** The label shown to the user. */
export function presetLabel({ name, isBuiltIn }: Preset): string {
  if (!isBuiltIn) return name;
  if (name === "Precise") return t("Precise");
  return name === "Balanced" ? t("Balanced") : t("Creative");
}

/**
 * The built-in presets and those in the setting `inferenceGateway.chat.presets`, which maps each name to its settings.
 * A user's preset replaces a built-in one of the same name.
 */
export function parsePresets(value: unknown): readonly Preset[] {
  const own = isRecord(value) ? Object.entries(value).flatMap(parsePreset) : [];
  const names = new Set(own.map(({ name }) => name));
  return [...builtIn.filter(({ name }) => !names.has(name)), ...own];
}

function parsePreset([name, value]: readonly [string, unknown]): readonly Preset[] {
  if (name.trim() === "" || !isRecord(value)) return [];
  const { systemPrompt, parameters } = parseSettings({
    systemPrompt: stringField(value, "systemPrompt"),
    parameters: value["parameters"],
  });
  return [filledFields({ name, systemPrompt, parameters: parameters ?? {}, isBuiltIn: false })];
}

/** The settings with everything that the preset specifies; a preset without a system prompt keeps the current one. */
export function applyPreset(settings: ConversationSettings, preset: Preset): ConversationSettings {
  const { parameters, ...rest } = settings;
  const format = parameters?.["response_format"];
  const next: JsonObject = {
    ...(format === undefined ? {} : { response_format: format }),
    ...preset.parameters,
  };
  return {
    ...rest,
    ...(preset.systemPrompt === undefined ? {} : { systemPrompt: preset.systemPrompt }),
    ...(Object.keys(next).length === 0 ? {} : { parameters: next }),
  };
}

/** The initial settings of a new conversation. */
export function initialSettings(preferences: {
  readonly presets: readonly Preset[];
  readonly defaultPreset?: string;
}): ConversationSettings {
  const preset = preferences.presets.find(({ name }) => name === preferences.defaultPreset);
  return preset === undefined ? {} : applyPreset({}, preset);
}

/** The preset that matches these settings, if there is one. */
export function findPreset(settings: ConversationSettings, presets: readonly Preset[]): Preset | undefined {
  return presets.find(
    (preset) =>
      sortedJson(settings.parameters ?? {}) === sortedJson(preset.parameters) &&
      (preset.systemPrompt === undefined || preset.systemPrompt === settings.systemPrompt),
  );
}

function sortedJson(members: JsonObject): string {
  return JSON.stringify(Object.entries(members).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
