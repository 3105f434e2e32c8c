import { parseSettings } from "../../conversation/parameters.ts";
import type { Preset } from "../../conversation/presets.ts";
import type { PriceTable } from "../../conversation/prices.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
/** When a response is announced to screen readers. */
const announcements = ["sentences", "blocks", "end", "off"] as const;

/** When a response is announced to screen readers: after each sentence or block, at its end, or not at all. */
export type Announcements = (typeof announcements)[number];

/** Whether Enter in the composer sends the message, or Ctrl or Cmd is needed for that. */
const sendKeys = ["enter", "ctrlEnter"] as const;

/** What sends a message: Enter, or Enter with Ctrl or Cmd. */
export type SendKey = (typeof sendKeys)[number];

/** The font of messages; code always uses the editor's. */
const textFonts = ["interface", "editor"] as const;

type TextFont = (typeof textFonts)[number];

/** The behavior of the page according to the user's settings. */
export interface PageBehavior {
  readonly sendWith: SendKey;
  readonly announce: Announcements;
  readonly textFont: TextFont;
}

/** The raw settings, by the same names. */
type PageSettings = Readonly<Record<keyof PageBehavior, unknown>>;

/** Parses the settings; invalid values count as not set. */
export function parsePageBehavior({ sendWith, announce, textFont }: PageSettings): PageBehavior {
  return {
    sendWith: sendKeys.find((key) => key === sendWith) ?? "enter",
    announce: announcements.find((moment) => moment === announce) ?? "sentences",
    textFont: textFonts.find((font) => font === textFont) ?? "interface",
  };
}

/** The user's settings that a page needs. */
export interface ChatPreferences {
  readonly presets: readonly Preset[];
  /** Name of the preset for new chats. */
  readonly defaultPreset?: string;
  readonly prices: PriceTable;
}

/** The preferences of a user who has set none. */
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
