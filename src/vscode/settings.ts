import * as vscode from "vscode";
import type { CapabilityTable } from "../core/modelCapabilities.ts";
import { parseCapabilityTable } from "../core/modelCapabilities.ts";
import { parsePresets } from "../core/settings/presets.ts";
import type { ChatPreferences } from "../core/settings/chatPreferences.ts";
import { parsePrices } from "../core/usage/prices.ts";
import type { FieldMapping } from "../core/servers/fieldMapping.ts";
import { parseFieldMapping } from "../core/servers/fieldMapping.ts";

const longestIntervalSeconds = 7 * 24 * 3_600;

/** The settings that aren't profiles; whatever can't be understood counts as not set. */
export const settings = {
  /** Milliseconds of silence allowed (interface section 8). */
  requestTimeoutMs: (): number => positive(read("requestTimeout"), 600) * 1000,
  maxAttempts: (): number => Math.max(1, Math.floor(positive(read("maxAttempts"), 4))),
  capabilities: (): CapabilityTable => parseCapabilityTable(read("models.capabilities")),
  /** What the pages of the chat need. */
  chatPreferences(): ChatPreferences {
    const defaultPreset = read("chat.defaultPreset");
    return {
      presets: parsePresets(read("chat.presets")),
      ...(typeof defaultPreset === "string" && defaultPreset !== "" ? { defaultPreset } : {}),
      prices: parsePrices(read("chat.prices")),
    };
  },
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
