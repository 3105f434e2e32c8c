import { t } from "@vscode/l10n";

/** What was entered as a token's expiry: a time in milliseconds since 1970, or why it isn't valid. */
export type ExpiryReading = { readonly expiresAt: number } | { readonly problem: string };

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const dayMs = 86_400_000;
/** No token of this kind is valid for longer, so a later time is a mistake. */
const longestMs = 10 * 366 * dayMs;

/** Reads `55m`, `1h 30m`, `14:30`, `2026-11-21 14:30` (local time), `2026-11-21T14:30:00Z` or a Unix time. */
export function parseExpiry(text: string, now: number): ExpiryReading {
  const input = text.trim();
  const expiresAt =
    readDuration(input, now) ?? readTimeOfDay(input, now) ?? readUnixTime(input) ?? readDate(input);
  if (expiresAt === undefined || Number.isNaN(expiresAt)) {
    return {
      problem: t("Enter a duration such as 55m or 1h 30m, or a time such as 14:30 or 2026-11-21 14:30."),
    };
  }
  if (expiresAt <= now) return { problem: t("This time is in the past.") };
  if (expiresAt - now > longestMs)
    return { problem: t("This date is too far in the future for a token. Check the date.") };
  return { expiresAt };
}

function readDuration(text: string, now: number): number | undefined {
  if (
    !/^(?:\d{1,6}\s*(?:d(?:ays?)?|h(?:ours?)?|m(?:in(?:utes?)?)?|s(?:ec(?:onds?)?)?)[\s,]*)+$/i.test(text)
  ) {
    return undefined;
  }
  const parts = [...text.matchAll(/(?<!\d)(\d+)\s*([dhms])/gi)];
  const seconds = parts.reduce((sum, [, amount, unit]) => {
    return sum + Number(amount) * (unitSeconds[(unit ?? "").toLowerCase()] ?? 0);
  }, 0);
  return now + seconds * 1_000;
}

/** The next point in time with this time of day. */
function readTimeOfDay(text: string, now: number): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const date = new Date(now);
  date.setHours(Number(hours), Number(minutes), 0, 0);
  if (date.getTime() <= now) date.setDate(date.getDate() + 1);
  return date.getTime();
}

function readUnixTime(text: string): number | undefined {
  if (!/^\d{10}(?:\d{3})?$/.test(text)) return undefined;
  return text.length === 10 ? Number(text) * 1_000 : Number(text);
}

function readDate(text: string): number | undefined {
  const isDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i.test(text);
  if (!isDate) return undefined;
  // A date alone would be read as UTC.
  return Date.parse(text.length === 10 ? `${text}T23:59:59` : text.replace(" ", "T"));
}
