import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeOptions {
  readonly resultTypes: readonly string[];
  readonly runOnly?: { readonly type: "rule"; readonly values: readonly string[] };
}

interface AxeResult {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly any: readonly { readonly message: string; readonly data?: { readonly messageKey?: string } }[];
  }[];
}

declare global {
  var axe: {
    run(
      options: AxeOptions,
    ): Promise<{ readonly violations: readonly AxeResult[]; readonly incomplete: readonly AxeResult[] }>;
  };
}

/**
 * The problems found by axe, one per line: with all of its rules, or only with those that check colors. Text also
 * counts if its contrast can't be determined because something overlaps it. That would include anything scrolled out of
 * view, so the page has to be as tall as its content.
 */
export async function findViolations(page: Page, rules: "all" | "colors"): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const colors = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } } as const;
  const options = { resultTypes: ["violations", "incomplete"], ...(rules === "all" ? {} : colors) };
  return await page.evaluate(async (given) => {
    const { violations, incomplete } = await globalThis.axe.run(given);
    const hidden = incomplete.map(({ id, nodes }) => ({
      id,
      nodes: nodes.filter(({ any }) => any.some(({ data }) => data?.messageKey === "bgOverlap")),
    }));
    return [...violations, ...hidden].flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ""}`),
    );
  }, options);
}
