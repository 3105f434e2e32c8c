import type { PriceTable } from "../../conversation/prices.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import { parseSettings } from "../../conversation/parseSettings.ts";
import type { Preset } from "../../conversation/presets.ts";

/** The user's settings that a page needs. */
export interface ChatPreferences {
  readonly presets: readonly Preset[];
  /** Name of the preset for new chats. */
  readonly defaultPreset?: string;
  readonly prices: PriceTable;
}

export const emptyPreferences: ChatPreferences = { presets: [], prices: {} };

/** A user's change to the presets; a saved preset replaces another one with the same name. */
export type PresetChange =
  | { readonly type: "save"; readonly preset: Omit<Preset, "isBuiltIn"> }
  | { readonly type: "delete"; readonly name: string }
  /** Without a name, new chats start without a preset. */
  | { readonly type: "default"; readonly name?: string };

/** Validates a message from the page; undefined for anything else. */
export function parsePresetChange(value: unknown): PresetChange | undefined {
  if (!isRecord(value)) return undefined;
  const name = stringField(value, "name");
  switch (value["type"]) {
    case "save":
      return parseSave(value["preset"]);
    case "delete":
      return name === undefined ? undefined : { type: "delete", name };
    case "default":
      return name === undefined ? { type: "default" } : { type: "default", name };
    default:
      return undefined;
  }
}

function parseSave(value: unknown): PresetChange | undefined {
  if (!isRecord(value)) return undefined;
  const name = stringField(value, "name")?.trim() ?? "";
  const { systemPrompt, parameters = {} } = parseSettings(value);
  if (name === "") return undefined;
  const preset = { name, ...(systemPrompt === undefined ? {} : { systemPrompt }), parameters };
  return { type: "save", preset };
}

/** The setting `inferenceGateway.chat.presets` after the change. */
export function changePresets(
  written: unknown,
  change: Exclude<PresetChange, { readonly type: "default" }>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(isRecord(written) ? written : {});
  const name = change.type === "save" ? change.preset.name : change.name;
  const others = entries.filter(([other]) => other !== name);
  if (change.type === "delete") return Object.fromEntries(others);
  const { systemPrompt, parameters } = change.preset;
  return Object.fromEntries([
    ...others,
    [name, { ...(systemPrompt === undefined ? {} : { systemPrompt }), parameters }],
  ]);
}
