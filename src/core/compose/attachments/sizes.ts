import { t } from "@vscode/l10n";
import { formatNumber } from "../../kernel/formatNumber.ts";

/** A number of bytes for people, such as `23 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return t("{0} bytes", bytes);
  if (bytes < 999_500) return t("{0} kB", rounded(bytes / 1000));
  return t("{0} MB", rounded(bytes / 1_000_000));
}

function rounded(value: number): string {
  return formatNumber(value, undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
}

/** A length of time as a clock shows it, such as `1:05` or `1:00:00`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const pad = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/** Bytes that base64 stands for. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
