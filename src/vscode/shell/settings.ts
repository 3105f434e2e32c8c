import * as vscode from "vscode";
import { parseFieldMapping, parseListPaging } from "../../core/servers/fieldMapping.ts";
import type { FieldMapping, ListPaging } from "../../core/servers/fieldMapping.ts";

const longestIntervalSeconds = 7 * 24 * 3_600;

/** The settings that activation needs, without the profiles. Invalid values count as not set. */
export const settings = {
  /** Maximum idle time in milliseconds (interface section 8). */
  requestTimeoutMs: (): number => readPositive("requestTimeout", 600) * 1000,
  maxAttempts: (): number => Math.max(1, Math.floor(readPositive("maxAttempts", 4))),
  fieldMapping: (): FieldMapping => parseFieldMapping(readSetting("servers.fieldMapping")),
  listPaging: (): ListPaging | undefined => parseListPaging(readSetting("servers.paging")),
  /**
   * In seconds; 0 means never. Limited to the longest delay that a timer supports, because a longer one would fire at
   * once.
   */
  refreshIntervalSeconds(): number {
    const seconds = readSetting("servers.refreshInterval");
    return typeof seconds === "number" && seconds >= 0 ? Math.min(seconds, longestIntervalSeconds) : 30;
  },
  /** Minutes between two measurements of a watched server that isn't visible; 0 means never. */
  gpuProbeMinutes(): number {
    const minutes = readSetting("servers.gpuProbeInterval");
    return typeof minutes === "number" && minutes >= 0 ? minutes : 5;
  },
};

/** The user's value for `inferenceGateway.NAME`, which can be anything and has to be parsed. */
export function readSetting(name: string): unknown {
  return vscode.workspace.getConfiguration("inferenceGateway").get(name);
}

/** A setting that is only valid as a number above 0. */
export function readPositive(name: string, otherwise: number): number {
  const value = readSetting(name);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}
