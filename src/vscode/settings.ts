import * as vscode from "vscode";
import type { AttachmentLimits } from "../core/attachments/limits.ts";
import { parseLimits } from "../core/attachments/limits.ts";
import type { RecordingSettings } from "../core/attachments/recorders.ts";
import type { CapabilityTable } from "../core/modelCapabilities.ts";
import { parseCapabilityTable } from "../core/modelCapabilities.ts";
import { parsePresets } from "../core/settings/presets.ts";
import type { ChatPreferences } from "../core/settings/chatPreferences.ts";
import type { SecretGuard } from "../core/send/sendGate.ts";
import { parseTooLongPolicy } from "../core/tooLong.ts";
import type { TooLongPolicy } from "../core/tooLong.ts";
import { parseBudget } from "../core/usage/budget.ts";
import type { Budget } from "../core/usage/budget.ts";
import { parsePrices } from "../core/usage/prices.ts";
import type { FieldMapping } from "../core/servers/fieldMapping.ts";
import { parseFieldMapping } from "../core/servers/fieldMapping.ts";
import type { PageBehaviour } from "../core/pageBehaviour.ts";
import { parsePageBehaviour } from "../core/pageBehaviour.ts";
import type { ChatPlace } from "./chat/chatPanels.ts";

const chatPlaces: readonly ChatPlace[] = ["editor", "side", "window", "sideBar"];
const longestIntervalSeconds = 7 * 24 * 3_600;

/** The settings that aren't profiles; whatever can't be understood counts as not set. */
export const settings = {
  /** Milliseconds of silence allowed (interface section 8). */
  requestTimeoutMs: (): number => positive(read("requestTimeout"), 600) * 1000,
  maxAttempts: (): number => Math.max(1, Math.floor(positive(read("maxAttempts"), 4))),
  capabilities: (): CapabilityTable => parseCapabilityTable(read("models.capabilities")),
  attachmentLimits: (): AttachmentLimits =>
    parseLimits({
      maxPictureEdge: read("chat.attachments.maxPictureEdge"),
      maxMegabytes: read("chat.attachments.maxMegabytes"),
      maxCount: read("chat.attachments.maxCount"),
    }),
  recording: (): RecordingSettings => {
    const device = read("chat.recording.device");
    return {
      limits: settings.attachmentLimits(),
      device: typeof device === "string" ? device.trim() : "",
      maxSeconds: positive(read("chat.recording.maxSeconds"), 120),
    };
  },
  pageBehaviour: (): PageBehaviour => parsePageBehaviour(read("chat.sendWith"), read("chat.announce")),
  chatPlace: (): ChatPlace => chatPlaces.find((place) => place === read("chat.openIn")) ?? "editor",
  whenTooLong(): TooLongPolicy | "send" | "ask" {
    const policy = read("chat.whenTooLong");
    return parseTooLongPolicy(policy) ?? (policy === "send" ? "send" : "ask");
  },
  secretGuard(): SecretGuard {
    const guard = read("chat.secretGuard");
    return guard === "mask" || guard === "off" ? guard : "ask";
  },
  budget: (): Budget | undefined => parseBudget(read("chat.budget")),
  /** What the pages of the chat need. */
  chatPreferences(): ChatPreferences {
    const defaultPreset = read("chat.defaultPreset");
    return {
      presets: parsePresets(read("chat.presets")),
      ...(typeof defaultPreset === "string" && defaultPreset !== "" ? { defaultPreset } : {}),
      prices: parsePrices(read("chat.prices")),
    };
  },
  generatesTitles: (): boolean => read("chat.generateTitles") !== false,
  fieldMapping: (): FieldMapping => parseFieldMapping(read("servers.fieldMapping")),
  /** Seconds; 0 means never. No longer than a timer can wait: a longer one would be due at once. */
  refreshIntervalSeconds(): number {
    const seconds = read("servers.refreshInterval");
    return typeof seconds === "number" && seconds >= 0 ? Math.min(seconds, longestIntervalSeconds) : 30;
  },
};

function positive(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}

function read(name: string): unknown {
  return vscode.workspace.getConfiguration("inferenceGateway").get(name);
}
