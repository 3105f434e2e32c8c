import type { ConversationSettings } from "../../conversation/conversation.ts";
import type { Preset } from "../../conversation/presets.ts";
import type { PriceTable } from "../../conversation/prices.ts";
import { isRecord } from "../../kernel/json.ts";
/** When a response is announced to screen readers. */
const announcements = ["sentences", "blocks", "end", "off"] as const;

/** When a response is announced to screen readers: after each sentence or block, at its end, or not at all. */
export type Announcements = (typeof announcements)[number];

/** Whether Enter in the composer sends the message, or Ctrl or Cmd is needed for that. */
const sendKeys = ["enter", "ctrlEnter"] as const;

/** What sends a message: Enter, or Enter with Ctrl or Cmd. */
export type SendKey = (typeof sendKeys)[number];

/** The behavior of the page according to the user's settings. */
export interface PageBehavior {
  readonly sendWith: SendKey;
  readonly announce: Announcements;
}

/** The raw settings, by the same names. */
type PageSettings = Readonly<Record<keyof PageBehavior, unknown>>;

/** Parses the settings; invalid values count as not set. */
export function parsePageBehavior({ sendWith, announce }: PageSettings): PageBehavior {
  return {
    sendWith: sendKeys.find((key) => key === sendWith) ?? "enter",
    announce: announcements.find((moment) => moment === announce) ?? "sentences",
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

/**
 * The setting `inferenceGateway.chat.presets` with these settings as the preset of this name; without settings, the
 * preset is removed.
 */
export function changePresets(
  written: unknown,
  name: string,
  settings?: ConversationSettings,
): Readonly<Record<string, unknown>> {
  const others = Object.entries(isRecord(written) ? written : {}).filter(([other]) => other !== name);
  if (settings === undefined) return Object.fromEntries(others);
  const { systemPrompt, parameters = {} } = settings;
  return Object.fromEntries([
    ...others,
    [name, { ...(systemPrompt === undefined ? {} : { systemPrompt }), parameters }],
  ]);
}
