import { t } from "@vscode/l10n";
import type { ReportRemedy } from "../account/remedies.ts";
import { codeSpan, escapeMarkdown, sanitizeLabel } from "../kernel/foreignText.ts";
import { formatNumber } from "../kernel/formatTime.ts";
import type { Diagnosis, Fact, ProfileReport, SectionReport, StepReport, StepStatus } from "./diagnosis.ts";

/** Maximum UTF-16 units of a text from outside. */
const maxLength = 1_200;

interface DiagnosisPageContext {
  /** Used to format numbers. */
  readonly language: string;
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

/**
 * The report as the content of an HTML body, with a button for everything it can fix. Nothing from outside is treated
 * as markup.
 */
export function diagnosisPage(diagnosis: Diagnosis, context: DiagnosisPageContext): string {
  return new PageWriter(diagnosis, context).write();
}

class PageWriter {
  readonly #diagnosis: Diagnosis;
  readonly #context: DiagnosisPageContext;
  /** Number of buttons so far. */
  #buttons = 0;

  constructor(diagnosis: Diagnosis, context: DiagnosisPageContext) {
    this.#diagnosis = diagnosis;
    this.#context = context;
  }

  write(): string {
    const { startedAt, environment, profiles } = this.#diagnosis;
    const when = new Date(startedAt).toISOString().replace("T", " ").slice(0, 19);
    return [
      `<h1>${this.#text(t("Connection Report"))}</h1>`,
      `<p class="verdict">${this.#text(verdict(this.#diagnosis))}</p>`,
      `<p>${[`${when} UTC`, ...environment].map((part) => this.#text(part)).join(" · ")}</p>`,
      `<p>${this.#text(t("Secrets are masked, so you can share this report as is."))}</p>`,
      ...profiles.map((profile) => this.#profile(profile)),
    ].join("\n");
  }

  #profile({ profileName, sections }: ProfileReport): string {
    const title = this.#text(t("Profile “{0}”", profileName));
    return `<h2>${title}</h2>\n${sections.map((section) => this.#section(section)).join("\n")}`;
  }

  #section({ title, address, steps }: SectionReport): string {
    const where = address === undefined ? "" : ` <code>${this.#text(address)}</code>`;
    const list = steps.map((step) => this.#step(step)).join("\n");
    return `<h3>${this.#text(title)}${where}</h3>\n<ul class="steps">\n${list}\n</ul>`;
  }

  #step({ title, status, summary, tookMs, facts = [], remedies = [] }: StepReport): string {
    const time = Math.round(tookMs ?? 0).toLocaleString(this.#context.language);
    const took = tookMs === undefined ? "" : ` ${this.#text(`(${t("{0} ms", time)})`)}`;
    const buttons = remedies.map((remedy) => this.#button(remedy));
    return [
      `<li class="${status}"><p><span class="mark">${this.#text(stepMarks[status]())}</span> `,
      `<strong>${this.#text(title)}</strong>${took}: ${this.#text(summary)}</p>`,
      facts.length === 0 ? "" : `<dl>${facts.map((fact) => this.#fact(fact)).join("")}</dl>`,
      buttons.length === 0 ? "" : `<p class="buttons">${buttons.join(" ")}</p>`,
      "</li>",
    ].join("");
  }

  #fact({ label, value }: Fact): string {
    return `<dt>${this.#text(label)}</dt><dd><code>${this.#text(value === "" ? "–" : value)}</code></dd>`;
  }

  #button({ label }: ReportRemedy): string {
    const address = this.#context.remedyAddress(this.#buttons);
    this.#buttons += 1;
    return `<a class="button primary" href="${escapeHtml(address)}">${this.#text(label)}</a>`;
  }

  #text(text: string): string {
    return escapeHtml(sanitizeLabel(this.#context.redact(text), maxLength));
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The words accompany the symbols for screen reader users. */
const stepMarks: Readonly<Record<StepStatus, () => string>> = {
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
  if (failed > 1) return t("{0} steps failed.", formatNumber(failed));
  if (warnings === 1) return t("No failures, 1 warning.");
  if (warnings > 0) return t("No failures, {0} warnings.", formatNumber(warnings));
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
