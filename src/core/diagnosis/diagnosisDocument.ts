import { t } from "@vscode/l10n";
import type { Diagnosis, ProfileReport, SectionReport, StepReport, StepStatus } from "./diagnosis.ts";
import { codeSpan, escapeMarkdown } from "../kernel/foreignText.ts";

/** The words accompany the symbols for screen reader users. */
export const stepMarks: Readonly<Record<StepStatus, () => string>> = {
  passed: () => t("✔ Passed"),
  warning: () => t("⚠ Warning"),
  failed: () => t("✖ Failed"),
  skipped: () => t("– Skipped"),
};

/** The report as shareable Markdown. `language` is used to format numbers. */
export function diagnosisDocument(diagnosis: Diagnosis, language: string): string {
  const writer = new Writer(language);
  writer.line(`# ${t("Connection Report")}`);
  writer.line();
  writer.line(`**${verdict(diagnosis)}**`);
  writer.line();
  writer.troubles(diagnosis);
  const when = new Date(diagnosis.startedAt).toISOString().replace("T", " ").slice(0, 19);
  writer.line([`${when} UTC`, ...diagnosis.environment].map(escapeMarkdown).join(" · "));
  writer.line();
  writer.line(t("Secrets are masked, so you can share this report as is."));
  for (const profile of diagnosis.profiles) writer.profile(profile);
  return writer.text;
}

/** The result in one sentence. */
export function verdict({ profiles }: Diagnosis): string {
  const steps = profiles.flatMap(({ sections }) => sections.flatMap((section) => section.steps));
  const failed = steps.filter(({ status }) => status === "failed").length;
  const warnings = steps.filter(({ status }) => status === "warning").length;
  const isCut = steps.some(({ status }) => status === "skipped");
  if (failed === 1) return t("One step failed.");
  if (failed > 1) return t("{0} steps failed.", failed);
  if (warnings === 1) return t("No failures, 1 warning.");
  if (warnings > 0) return t("No failures, {0} warnings.", warnings);
  return isCut ? t("No failures, but some steps were skipped.") : t("All steps passed.");
}

class Writer {
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

  /** Lists the problems to look at first. */
  troubles({ profiles }: Diagnosis): void {
    const lines = profiles.flatMap(({ profileName, sections }) =>
      sections.flatMap(({ title: section, steps }) =>
        steps
          .filter(({ status }) => status === "failed" || status === "warning")
          .map(
            ({ status, title }) =>
              `- ${stepMarks[status]()} · ${escapeMarkdown(profileName)} · ${section} · ${title}`,
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
    this.line(`- ${stepMarks[status]()} · **${title}**${took}: ${escapeMarkdown(summary)}`);
    for (const { label, value } of facts) this.line(`  - ${label}: ${codeSpan(value)}`);
    for (const { label } of remedies) this.line(`  - ${t("Can be fixed here: {0}", escapeMarkdown(label))}`);
  }
}
