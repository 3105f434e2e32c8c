import { t } from "@vscode/l10n";

/** A secret that was found in a text. */
export interface SecretFinding {
  /** What it is, as the rule that found it says. */
  readonly kind: string;
  readonly value: string;
}

/** Enough to recognise the secret, not enough to use it. */
export function shortenSecret(value: string): string {
  const line = value.replace(/\s+/g, " ");
  if (line.length < 12) return `${line.slice(0, 1)}…`;
  return `${line.slice(0, 4)}…${line.slice(-2)}`;
}

/** What is sent in a secret's place. */
export function maskOf({ kind }: SecretFinding): string {
  return t("[masked: {0}]", kind);
}

/** The text with a placeholder for every secret that was found, wherever it stands. */
export function maskSecrets(text: string, findings: readonly SecretFinding[]): string {
  // The longest first: one may be part of another.
  return findings
    .toSorted((left, right) => right.value.length - left.value.length)
    .reduce((masked, finding) => masked.replaceAll(finding.value, () => maskOf(finding)), text);
}

/** Without those that are found twice, or are a part of another one. */
export function distinctFindings(findings: readonly SecretFinding[]): readonly SecretFinding[] {
  return findings.filter(
    ({ value }, index) =>
      !findings.some(
        (other, at) =>
          (other.value === value && at < index) || (other.value !== value && other.value.includes(value)),
      ),
  );
}
