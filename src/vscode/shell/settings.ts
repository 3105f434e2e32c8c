import * as vscode from "vscode";
import { parseFieldMapping } from "../../core/servers/fieldMapping.ts";
import type { FieldMapping } from "../../core/servers/fieldMapping.ts";

const longestIntervalSeconds = 7 * 24 * 3_600;

/** The settings that activation needs, without the profiles; whatever can't be understood counts as not set. */
export const settings = {
  /** Milliseconds of silence allowed (interface section 8). */
  requestTimeoutMs: (): number => readPositive("requestTimeout", 600) * 1000,
  maxAttempts: (): number => Math.max(1, Math.floor(readPositive("maxAttempts", 4))),
  /** How much of a response is read, and how long its end is waited for after a finish reason. */
  readingLimits: () => ({
    maxLength: Math.round(Math.min(64, readPositive("maxResponseSize", 8)) * 1024 * 1024),
    finishTimeoutMs: Math.min(3_600, readPositive("finishTimeout", 30)) * 1000,
  }),
  fieldMapping: (): FieldMapping => parseFieldMapping(readSetting("servers.fieldMapping")),
  /** Seconds; 0 means never. No longer than a timer can wait: a longer one would be due at once. */
  refreshIntervalSeconds(): number {
    const seconds = readSetting("servers.refreshInterval");
    return typeof seconds === "number" && seconds >= 0 ? Math.min(seconds, longestIntervalSeconds) : 30;
  },
};

/** What the user set as `inferenceGateway.NAME`: anything at all, to be parsed. */
export function readSetting(name: string): unknown {
  return vscode.workspace.getConfiguration("inferenceGateway").get(name);
}

/** A setting that means something only as a number above 0. */
export function readPositive(name: string, otherwise: number): number {
  const value = readSetting(name);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}
