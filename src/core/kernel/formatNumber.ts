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
