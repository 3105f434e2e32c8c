import type { CapabilityTable } from "../../core/conversation/modelCatalog.ts";
import { parseCapabilityTable } from "../../core/conversation/modelCatalog.ts";
import { parsePageBehavior } from "../../core/panel/settings/chatPreferences.ts";
import type { SecretGuard } from "../../core/compose/send/sendGate.ts";
import type { ChatPreferences, PageBehavior } from "../../core/panel/settings/chatPreferences.ts";
import { parsePresets } from "../../core/conversation/presets.ts";
import type { TooLongPolicy } from "../../core/conversation/tooLong.ts";
import { parseTooLongPolicy } from "../../core/conversation/tooLong.ts";
import type { Budget } from "../../core/conversation/budget.ts";
import { parseBudget } from "../../core/conversation/budget.ts";
import { parsePrices } from "../../core/conversation/prices.ts";
import { readPositive, readSetting } from "../shell/settings.ts";

/** Where a chat opens: in an editor tab, the group to the side, a new window, or the side bar. */
export const chatLocations = ["editor", "side", "window", "sideBar"] as const;

/** One of these places. */
export type ChatLocation = (typeof chatLocations)[number];

const keptContents = ["all", "conversations", "none"] as const;
type KeptContent = (typeof keptContents)[number];

/** The user's chat settings. Invalid values count as not set. */
export const chatSettings = {
  capabilities: (): CapabilityTable => parseCapabilityTable(readSetting("models.capabilities")),
  pageBehavior: (): PageBehavior =>
    parsePageBehavior({
      sendWith: readSetting("chat.sendWith"),
      announce: readSetting("chat.announce"),
    }),
  chatLocation: (): ChatLocation =>
    chatLocations.find((place) => place === readSetting("chat.openIn")) ?? "editor",
  /** The maximum number of times that a model is called again with the results of its tools. */
  maxToolRounds: (): number => Math.max(1, Math.floor(readPositive("chat.maxToolRounds", 10))),
  /** When a dialog is required to run a tool once, in addition to the button in the chat. */
  toolConfirmation(): "firstUse" | "always" | "chat" {
    const value = readSetting("chat.toolConfirmation");
    return value === "always" || value === "chat" ? value : "firstUse";
  },
  whenTooLong(): TooLongPolicy | "send" | "ask" {
    const policy = readSetting("chat.whenTooLong");
    return parseTooLongPolicy(policy) ?? (policy === "send" ? "send" : "ask");
  },
  secretGuard(): SecretGuard {
    const guard = readSetting("chat.secretGuard");
    return guard === "mask" || guard === "off" ? guard : "ask";
  },
  budget: (): Budget | undefined => parseBudget(readSetting("chat.budget")),
  /** The settings for the chat pages. */
  chatPreferences(): ChatPreferences {
    const defaultPreset = readSetting("chat.defaultPreset");
    return {
      presets: parsePresets(readSetting("chat.presets")),
      ...(typeof defaultPreset === "string" && defaultPreset !== "" ? { defaultPreset } : {}),
      prices: parsePrices(readSetting("chat.prices")),
    };
  },
  /** Which requests are kept with their content, so that they can be inspected. */
  keptContent: (): KeptContent =>
    keptContents.find((kept) => kept === readSetting("requests.keepContent")) ?? "all",
  generatesTitles: (): boolean => readSetting("chat.generateTitles") !== false,
};
