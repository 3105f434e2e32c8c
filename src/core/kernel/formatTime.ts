import { t } from "@vscode/l10n";
import { displayLanguage } from "./displayLanguage.ts";

/** Creating a formatter takes longer than using it a hundred times. */
const formatters = new Map<string, Intl.NumberFormat>();

/** The number in the format of the language; undefined means the display language. */
export function formatNumber(
  value: number,
  locale: string | undefined = displayLanguage(),
  options: Intl.NumberFormatOptions = {},
): string {
  const key = JSON.stringify([locale, options]);
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.NumberFormat(locale, options);
    formatters.set(key, formatter);
  }
  return formatter.format(value);
}

/** The first few items and how many more there are: `a, b and 3 more`. */
export function shortList<T>(items: readonly T[], most: number, textOf: (item: T) => string): string {
  const list = items.slice(0, most).map(textOf).join(", ");
  return items.length > most ? t("{0} and {1} more", list, formatNumber(items.length - most)) : list;
}

/** A number of bytes in readable form, such as `23 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return t("1 byte");
  if (bytes < 1000) return t("{0} bytes", formatNumber(bytes));
  if (bytes < 999_500) return t("{0} kB", roundedNumber(bytes / 1000));
  if (bytes < 999_500_000) return t("{0} MB", roundedNumber(bytes / 1_000_000));
  return t("{0} GB", roundedNumber(bytes / 1_000_000_000));
}

/** With one digit below ten, such as `1.2` or `84`. */
function roundedNumber(value: number): string {
  return formatNumber(value, undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
}

let dates: Intl.DateTimeFormat | undefined;

/** The date and time of milliseconds since 1970, in the format of the display language. */
export function formatDate(milliseconds: number): string {
  dates ??= new Intl.DateTimeFormat(displayLanguage(), { dateStyle: "medium", timeStyle: "short" });
  return dates.format(milliseconds);
}

/** The date only, in the time zone of this machine unless given. */
export function formatDay(milliseconds: number, zone?: "UTC"): string {
  return new Date(milliseconds).toLocaleDateString(displayLanguage(), {
    dateStyle: "medium",
    timeZone: zone,
  });
}

/** Such as `47 s`, `3 min`, `5 h`. */
export function formatDuration(milliseconds: number, round = Math.round): string {
  const seconds = round(milliseconds / 1_000);
  if (seconds < 120) return t("{0} s", String(seconds));
  return seconds < 7_200
    ? t("{0} min", String(round(seconds / 60)))
    : t("{0} h", String(round(seconds / 3_600)));
}

/** Milliseconds with as many digits as matter: `340 ms`, `2.1 s`, `3 min 20 s`. */
export function formatMs(ms: number, locale?: string): string {
  if (ms < 1000) return t("{0} ms", formatNumber(Math.round(ms), locale));
  const seconds = ms / 1000;
  const whole = Math.round(seconds);
  const digits = seconds < 10 ? 1 : 0;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (seconds < 100) return t("{0} s", formatNumber(seconds, locale, format));
  return t("{0} min {1} s", String(Math.floor(whole / 60)), String(whole % 60));
}

/** The remaining time, short enough for a status bar: `45 s`, `12 min`, `3 h 20 min`, `4 d`. Always rounded down. */
export function formatRemaining(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return t("{0} s", String(seconds));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0} min", String(minutes));
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return t("{0} d", String(Math.floor(hours / 24)));
  return minutes % 60 === 0
    ? t("{0} h", String(hours))
    : t("{0} h {1} min", String(hours), String(minutes % 60));
}

/** How long ago something was, in words: `12 seconds`, `3 minutes`, `2 hours`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 90) return seconds === 1 ? t("1 second") : t("{0} seconds", String(seconds));
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return t("{0} minutes", String(minutes));
  const hours = Math.round(minutes / 60);
  return hours < 48 ? t("{0} hours", String(hours)) : t("{0} days", String(Math.round(hours / 24)));
}

/** The local time of day, `hh:mm`, of milliseconds since 1970. */
export function timeOfDay(milliseconds: number): string {
  const date = new Date(milliseconds);
  return twoDigits([date.getHours(), date.getMinutes()]);
}

/** The local time of day, `hh:mm:ss`, of milliseconds since 1970. */
export function secondOfDay(milliseconds: number): string {
  const date = new Date(milliseconds);
  return twoDigits([date.getHours(), date.getMinutes(), date.getSeconds()]);
}

function twoDigits(parts: readonly number[]): string {
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
