import { t } from "@vscode/l10n";
import type { ReportRemedy } from "../account/remedies.ts";
import { codeSpan, escapeHtml, escapeMarkdown, sanitizeLabel } from "../kernel/foreignText.ts";
import { formatNumber } from "../kernel/formatTime.ts";
import type { Diagnosis, StepReport, StepStatus } from "./diagnosis.ts";

/** Maximum UTF-16 units of a text from outside. */
const maxLength = 1_200;

interface DiagnosisPageContext {
  /** Removes secrets from a text. */
  redact(text: string): string;
  /** The target of a remedy's button, by its index in `remediesOf`. */
  remedyAddress(index: number): string;
}

/** What the report can fix, in the order of its buttons. */
export function remediesOf({ profiles }: Diagnosis): readonly ReportRemedy[] {
  return profiles.flatMap(({ sections }) =>
    sections.flatMap(({ steps }) => steps.flatMap(({ remedies = [] }) => remedies)),
  );
}

/** How the report is written: as Markdown, or as HTML. Texts may come from outside. */
interface Notation {
  text(text: string): string;
  code(text: string): string;
  heading(level: 1 | 2 | 3, text: string): string;
  paragraph(text: string): string;
  /** Each step with how it is written. */
  steps(steps: readonly (readonly [StepReport, string])[]): string;
  step(report: StepReport, took: string, summary: string): string;
}

/** The report as shareable Markdown. */
export function diagnosisDocument(
  diagnosis: Diagnosis,
  { redact }: Pick<DiagnosisPageContext, "redact">,
): string {
  const text = (raw: string): string => escapeMarkdown(redact(raw));
  const code = (raw: string): string => codeSpan(redact(raw));
  return write(diagnosis, {
    ...{ text, code },
    heading: (level, content) => `${"#".repeat(level)} ${content}\n`,
    paragraph: (content) => `${content}\n`,
    steps: (steps) => steps.map(([, written]) => written).join(""),
    step: ({ title, status, facts = [], remedies = [] }, took, summary) =>
      [
        `- ${stepMarks[status]()} · **${title}**${took === "" ? "" : ` ${took}`}: ${summary}`,
        ...facts.map(({ label, value }) => `  - ${label}: ${code(value)}`),
        ...remedies.map(({ label }) => `  - ${t("Can be fixed here: {0}", text(label))}`),
        "",
      ].join("\n"),
  });
}

/**
 * The report as the content of an HTML body, with a button for everything it can fix, and with the passed steps of each
 * section folded. Nothing from outside is treated as markup.
 */
export function diagnosisPage(diagnosis: Diagnosis, { redact, remedyAddress }: DiagnosisPageContext): string {
  const text = (raw: string): string => escapeHtml(sanitizeLabel(redact(raw), maxLength));
  const code = (raw: string): string => `<code>${text(raw === "" ? "–" : raw)}</code>`;
  let buttons = 0;
  const button = ({ label }: ReportRemedy): string =>
    `<a class="button primary" href="${escapeHtml(remedyAddress(buttons++))}">${text(label)}</a>`;
  const list = (steps: readonly (readonly [StepReport, string])[]): string =>
    steps.length === 0 ? "" : `<ul class="steps">\n${steps.map(([, written]) => written).join("\n")}\n</ul>`;
  return write(diagnosis, {
    ...{ text, code },
    heading: (level, content) => `<h${level}>${content}</h${level}>`,
    paragraph: (content) => `<p>${content}</p>`,
    steps(steps) {
      const isFolded = ([{ status, remedies = [] }]: readonly [StepReport, string]): boolean =>
        status === "passed" && remedies.length === 0;
      const folded = steps.filter(isFolded);
      const titles = folded.map(([{ title }]) => title).join(", ");
      const summary = `<span class="mark">${text(stepMarks.passed())}:</span> ${text(titles)}`;
      return [
        folded.length === 0 ? "" : `<details><summary>${summary}</summary>${list(folded)}</details>`,
        list(steps.filter((step) => !isFolded(step))),
      ].join("");
    },
    step: ({ title, status, facts = [], remedies = [] }, took, summary) =>
      [
        `<li class="${status}"><p><span class="mark">${text(stepMarks[status]())}</span> `,
        `<strong>${text(title)}</strong>${took === "" ? "" : ` ${text(took)}`}: ${summary}</p>`,
        ...(facts.length === 0 ? [] : ["<dl>"]),
        ...facts.map(({ label, value }) => `<dt>${text(label)}</dt><dd>${code(value)}</dd>`),
        ...(facts.length === 0 ? [] : ["</dl>"]),
        ...(remedies.length === 0 ? [] : [`<p class="buttons">${remedies.map(button).join(" ")}</p>`]),
        "</li>",
      ].join(""),
  });
}

function write(diagnosis: Diagnosis, notation: Notation): string {
  const { text, code, heading, paragraph } = notation;
  const when = new Date(diagnosis.startedAt).toISOString().replace("T", " ").slice(0, 19);
  const parts = [
    heading(1, text(t("Connection Report: {0}", verdict(diagnosis)))),
    paragraph([`${when} UTC`, ...diagnosis.environment].map(text).join(" · ")),
    paragraph(text(t("Secrets are masked, so you can share this report as is."))),
  ];
  for (const { profileName, sections } of diagnosis.profiles) {
    parts.push(heading(2, text(t("Profile “{0}”", profileName))));
    for (const { title, address, steps } of sections) {
      parts.push(heading(3, `${text(title)}${address === undefined ? "" : ` ${code(address)}`}`));
      const took = ({ tookMs }: StepReport): string =>
        tookMs === undefined ? "" : `(${t("{0} ms", formatNumber(Math.round(tookMs)))})`;
      parts.push(
        notation.steps(steps.map((step) => [step, notation.step(step, took(step), text(step.summary))])),
      );
    }
  }
  return `${parts.join("\n")}\n`;
}

/** The words accompany the symbols for screen reader users. */
const stepMarks: Readonly<Record<StepStatus, () => string>> = {
  passed: () => t("✔ Passed"),
  warning: () => t("⚠ Warning"),
  failed: () => t("✖ Failed"),
  skipped: () => t("– Skipped"),
};

/** The result in one sentence. */
export function verdict({ profiles }: Diagnosis): string {
  const steps = profiles.flatMap(({ sections }) => sections.flatMap((section) => section.steps));
  const failed = steps.filter(({ status }) => status === "failed").length;
  const warnings = steps.filter(({ status }) => status === "warning").length;
  const isCut = steps.some(({ status }) => status === "skipped");
  if (failed === 1) return t("One step failed.");
  if (failed > 1) return t("{0} steps failed.", formatNumber(failed));
  if (warnings === 1) return t("No failures, 1 warning.");
  if (warnings > 0) return t("No failures, {0} warnings.", formatNumber(warnings));
  return isCut ? t("No failures, but some steps were skipped.") : t("All steps passed.");
}
