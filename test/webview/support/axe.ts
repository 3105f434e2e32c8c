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
 * What axe finds, one line each: by all of its rules, or by those that only look at colors. Text whose contrast it
 * can't tell because something lies over it counts too; what is scrolled out of sight would be such, so the page has to
 * be as high as what it shows.
 */
export async function findViolations(page: Page, rules: "all" | "colours"): Promise<readonly string[]> {
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
