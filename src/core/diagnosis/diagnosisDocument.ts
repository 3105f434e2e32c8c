import { t } from "@vscode/l10n";
import type { Diagnosis, ProfileReport, Remedy, SectionReport, StepReport, StepStatus } from "./diagnosis.ts";
import { codeSpan, escapeMarkdown } from "./markdownText.ts";

/** The report as Markdown, with the lines (from 0) at which something can be mended. */
export interface DiagnosisDocument {
  readonly text: string;
  readonly places: readonly { readonly line: number; readonly remedies: readonly Remedy[] }[];
}

/** The words stand beside the signs for those who hear the report. */
const marks: Readonly<Record<StepStatus, () => string>> = {
  passed: () => t("✔ Passed"),
  warning: () => t("⚠ Warning"),
  failed: () => t("✖ Failed"),
  skipped: () => t("– Skipped"),
};

/** `language` is for numbers. */
export function diagnosisDocument(diagnosis: Diagnosis, language: string): DiagnosisDocument {
  const writer = new Writer(language);
  writer.line(`# ${t("Connection Report")}`);
  writer.line();
  writer.line(`**${verdict(diagnosis)}**`);
  writer.line();
  writer.troubles(diagnosis);
  const when = new Date(diagnosis.startedAt).toISOString().replace("T", " ").slice(0, 19);
  writer.line([`${when} UTC`, ...diagnosis.environment].map(escapeMarkdown).join(" · "));
  writer.line();
  writer.line(t("Secrets are masked: this report can be handed on as it is."));
  for (const profile of diagnosis.profiles) writer.profile(profile);
  return { text: writer.text, places: writer.places };
}

/** The whole in one sentence. */
export function verdict({ profiles }: Diagnosis): string {
  const steps = profiles.flatMap(({ sections }) => sections.flatMap((section) => section.steps));
  const failed = steps.filter(({ status }) => status === "failed").length;
  const warnings = steps.filter(({ status }) => status === "warning").length;
  const isCut = steps.some(({ status }) => status === "skipped");
  if (failed === 1) return t("One step failed.");
  if (failed > 1) return t("{0} steps failed.", failed);
  if (warnings > 0) return t("Nothing failed; {0} warnings.", warnings);
  return isCut ? t("Nothing failed, but not every step could be taken.") : t("Every step passed.");
}

class Writer {
  readonly places: { readonly line: number; readonly remedies: readonly Remedy[] }[] = [];
  readonly #lines: string[] = [];
  readonly #language: string;

  constructor(language: string) {
    this.#language = language;
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  line(text = ""): void {
    this.#lines.push(text);
  }

  /** Where to look first. */
  troubles({ profiles }: Diagnosis): void {
    const lines = profiles.flatMap(({ profileName, sections }) =>
      sections.flatMap(({ title: section, steps }) =>
        steps
          .filter(({ status }) => status === "failed" || status === "warning")
          .map(
            ({ status, title }) =>
              `- ${marks[status]()} · ${escapeMarkdown(profileName)} · ${section} · ${title}`,
          ),
      ),
    );
    for (const line of lines) this.line(line);
    if (lines.length > 0) this.line();
  }

  profile({ profileName, sections }: ProfileReport): void {
    this.line();
    this.line(`## ${t("Profile “{0}”", escapeMarkdown(profileName))}`);
    for (const section of sections) this.#section(section);
  }

  #section({ title, address, steps }: SectionReport): void {
    this.line();
    this.line(`### ${title}${address === undefined ? "" : ` ${codeSpan(address)}`}`);
    this.line();
    for (const step of steps) this.#step(step);
  }

  #step({ title, status, summary, tookMs, facts = [], remedies = [] }: StepReport): void {
    const took =
      tookMs === undefined ? "" : ` (${t("{0} ms", Math.round(tookMs).toLocaleString(this.#language))})`;
    if (remedies.length > 0) this.places.push({ line: this.#lines.length, remedies });
    this.line(`- ${marks[status]()} · **${title}**${took}: ${escapeMarkdown(summary)}`);
    for (const { label, value } of facts) this.line(`  - ${label}: ${codeSpan(value)}`);
    for (const { label } of remedies) this.line(`  - ${t("Can be mended here: {0}", escapeMarkdown(label))}`);
  }
}
