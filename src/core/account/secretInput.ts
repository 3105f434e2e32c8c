import { t } from "@vscode/l10n";
import { namePattern, credentialNames } from "./credentialPlaces.ts";
/** What was pasted, cleaned; or why it can't be a secret, as a full sentence that does not repeat it. */
export type SecretInputReading = { readonly text: string } | { readonly problem: string };

/** A header as it is copied from a request or from documentation. */
const headerLabel = new RegExp(
  String.raw`^(?:${namePattern(credentialNames.headers, credentialNames.cookies)}|x-api-key|api[ -]?key|access[ -]?key|api[ -]?secret)\s*:\s*`,
  "i",
);

/** A variable, cookie or query parameter; signs of equality at the end belong to base64. */
const variableLabel = new RegExp(
  String.raw`^(?:export\s+|set\s+)?(?:[a-z0-9_]*_)?(?:api_?key|access_?key(?:_id)?|api_?secret|secret|${namePattern(credentialNames.cookies, credentialNames.parameters)})\s*=\s*(?!=*$)`,
  "i",
);

/** Pairs that surround what was copied from code or documentation. */
const quotes: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["‘", "’"],
  ["<", ">"],
];

/**
 * Cleans a secret as it was typed or pasted: white space and invisible marks, line breaks of a wrapped terminal,
 * quotes, `Bearer`, a header or variable name in front. What remains must be able to stand in a header, unless it
 * only ever signs (the API Secret).
 */
export function readSecretInput(input: string, use: "sent" | "signs" = "sent"): SecretInputReading {
  const text = unwrap(input.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, ""));
  if (text === "") return { problem: t("Enter a value.") };
  if (/^[*•.]+$/.test(text) || /^(?:your|my)[-_]/i.test(text)) {
    return { problem: t("This is a placeholder. Paste the key itself.") };
  }
  if (use === "signs") return { text };
  if (/\s/.test(text)) {
    return { problem: t("The key contains a space. Paste only the key.") };
  }
  if (/[^\x21-\x7e]/.test(text)) {
    return { problem: t("The key contains invalid characters. Paste only the key.") };
  }
  return { text };
}

/** Takes one layer after the other off until nothing changes. */
function unwrap(input: string): string {
  const text = input
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .join("");
  const inner = withoutQuotes(text.replace(/[;,]$/, ""))
    .replace(headerLabel, "")
    .replace(variableLabel, "")
    .replace(/^bearer(?:\s+|$)/i, "")
    .trim();
  return inner === text ? text : unwrap(inner);
}

function withoutQuotes(text: string): string {
  const pair = quotes.find(([open, close]) => text.startsWith(open) && text.endsWith(close));
  return pair === undefined || text.length < 2 ? text : text.slice(1, -1);
}
