import { cellLabel } from "./suite.ts";
import type { SuiteCell } from "./suite.ts";
import type { CellResult } from "./results.ts";

/** The results of a suite; a cell without a result wasn't run. */
interface SuiteReport {
  readonly path: string;
  readonly cells: readonly SuiteCell[];
  readonly results: ReadonlyMap<string, CellResult>;
}

/** Responses longer than this are cut: reports are read by people. */
const longestResponse = 20_000;

/**
 * The results in the format of JUnit, which CI services read. `redact` removes secrets from what models have written.
 */
export function junitReport(suites: readonly SuiteReport[], redact: (text: string) => string): string {
  const reports = suites.map((suite) => suiteElement(suite, redact));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${reports.join("")}</testsuites>\n`;
}

function suiteElement({ path, cells, results }: SuiteReport, redact: (text: string) => string): string {
  const count = (matches: (result: CellResult | undefined) => boolean): number =>
    cells.filter(({ key }) => matches(results.get(key))).length;
  const attributes = {
    name: path,
    tests: cells.length,
    failures: count((result) => result?.outcome === "failed"),
    errors: count((result) => result?.outcome === "error"),
    skipped: count((result) => result === undefined),
    time: seconds(cells.reduce((sum, { key }) => sum + (results.get(key)?.totalMs ?? 0), 0)),
  };
  const cases = cells.map((cell) => caseElement(cell, path, results.get(cell.key), redact)).join("");
  return `  <testsuite${format(attributes)}>\n${cases}  </testsuite>\n`;
}

function caseElement(
  { test, model, preset }: SuiteCell,
  path: string,
  result: CellResult | undefined,
  redact: (text: string) => string,
): string {
  const name = `${test.name} [${cellLabel(model, preset)}]`;
  const attributes = { name, classname: path, file: path, time: seconds(result?.totalMs ?? 0) };
  const start = `    <testcase${format(attributes)}`;
  if (result === undefined) return `${start}>\n      <skipped/>\n    </testcase>\n`;
  if (result.outcome === "passed") return `${start}/>\n`;
  const text = redact(result.response);
  const response = text.length > longestResponse ? `${text.slice(0, longestResponse)}…` : text;
  const lines =
    result.outcome === "error"
      ? [element("error", redact(result.error ?? ""), response)]
      : result.failures.map(({ check, message }) =>
          element("failure", redact(message), response, { type: check }),
        );
  return `${start}>\n${lines.join("")}    </testcase>\n`;
}

function element(
  name: string,
  message: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): string {
  return `      <${name}${format({ message, ...more })}>${escapeXml(text)}</${name}>\n`;
}

function format(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};

/** XML can't contain control characters or lone surrogates, even escaped, so they are replaced. */
function escapeXml(text: string): string {
  return text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Surrogate}]/gu, "\ufffd")
    .replace(/[&<>"\r]/g, (character) => entities[character] ?? "");
}
