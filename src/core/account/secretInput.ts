import { t } from "@vscode/l10n";
import { namePattern, credentialNames } from "./credentialPlaces.ts";
/** The cleaned input, or a full sentence that explains why it can't be a secret without repeating it. */
export type SecretInputReading = { readonly text: string } | { readonly problem: string };

/** A header copied from a request or from documentation. */
const headerLabel = new RegExp(
  String.raw`^(?:${namePattern(credentialNames.headers, credentialNames.cookies)}|x-api-key|api[ -]?key|access[ -]?key|api[ -]?secret)\s*:\s*`,
  "i",
);

/** A variable, cookie or query parameter; trailing equals signs belong to base64. */
const variableLabel = new RegExp(
  String.raw`^(?:export\s+|set\s+)?(?:[a-z0-9_]*_)?(?:api_?key|access_?key(?:_id)?|api_?secret|secret|${namePattern(credentialNames.cookies, credentialNames.parameters)})\s*=\s*(?!=*$)`,
  "i",
);

/** Pairs that surround text copied from code or documentation. */
const quotes: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["‘", "’"],
  ["<", ">"],
];

/**
 * Cleans a secret that was typed or pasted: removes whitespace and invisible characters, line breaks of a wrapped
 * terminal, quotes, `Bearer`, and a leading header or variable name. The rest must be valid in a header, unless it is
 * only used for signing (the API secret).
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

/** Removes one layer after another until nothing changes. */
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
