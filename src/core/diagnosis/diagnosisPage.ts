import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import type { Diagnosis, Fact, ProfileReport, SectionReport, StepReport } from "./diagnosis.ts";
import { stepMarks, verdict } from "./diagnosisDocument.ts";
import type { ReportRemedy } from "../account/remedies.ts";

/** Maximum UTF-16 units of a text from outside. */
const maxLength = 1_200;

export interface DiagnosisPageContext {
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
