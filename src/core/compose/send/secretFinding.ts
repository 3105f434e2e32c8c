import { t } from "@vscode/l10n";
import type { SecretFinding } from "../../account/secrets/secretValue.ts";

/** Enough to recognize the secret, not enough to use it. */
export function shortenSecret(value: string): string {
  const line = value.replace(/\s+/g, " ");
  if (line.length < 12) return `${line.slice(0, 1)}…`;
  return `${line.slice(0, 4)}…${line.slice(-2)}`;
}

/** The text that is sent in place of a secret. */
function maskOf({ kind }: SecretFinding): string {
  return t("[masked: {0}]", kind);
}

/** The text with a placeholder for every secret that was found, wherever it occurs. */
export function maskFindings(text: string, findings: readonly SecretFinding[]): string {
  // The longest first, because one may be part of another.
  return findings
    .toSorted((left, right) => right.value.length - left.value.length)
    .reduce((masked, finding) => replaceWhole(masked, finding.value, maskOf(finding)), text);
}

/** Shorter secrets that consist only of letters may be parts of words. */
const shortestSure = 12;

function replaceWhole(text: string, value: string, replacement: string): string {
  if (value === "" || !text.includes(value)) return text;
  const isWhole = (at: number): boolean =>
    value.length >= shortestSure ||
    /[^A-Za-z].{4}|.{4}[^A-Za-z]/s.test(value) ||
    !(isWordAt(text, at - 1, value.at(0)) || isWordAt(text, at + value.length, value.at(-1)));
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    if (!isWhole(at)) continue;
    parts.push(text.slice(from, at), replacement);
    from = at + value.length;
  }
  return parts.join("") + text.slice(from);
}

/** Whether the character at `index` continues the word that `edge` belongs to. */
function isWordAt(text: string, index: number, edge: string | undefined): boolean {
  return /[A-Za-z0-9]/.test(edge ?? "") && /[A-Za-z0-9]/.test(text.charAt(index));
}

/** Without duplicates and findings that are part of another one. */
export function distinctFindings(findings: readonly SecretFinding[]): readonly SecretFinding[] {
  return findings.filter(
    ({ value }, index) =>
      !findings.some(
        (other, at) =>
          (other.value === value && at < index) || (other.value !== value && other.value.includes(value)),
      ),
  );
}
