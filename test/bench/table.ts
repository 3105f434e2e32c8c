import type { BenchmarkRow } from "./benchmark.ts";

const headings = ["", "value", "unit", "ratio", "to", "target", "missed by far"] as const;
/** Columns with numbers. */
const rightAligned = new Set([1, 3]);

/** The rows as a plain-text table, without empty columns. */
export function formatTable(rows: readonly BenchmarkRow[], load: number): string {
  const texts = rows.map((row) => cells(row, load));
  const lines = [headings, ...texts];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const used = headings.map((_, column) => texts.some((cells) => cells[column] !== ""));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0, rightAligned.has(column)))
        .filter((_, column) => used[column])
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Load per processor above which a time says more about other processes than about ours. */
const mostLoad = 0.5;
/** Units that other processes change. CPU time is counted for each process. */
const clockUnits = new Set(["ms", "s", "µs", "frames"]);

/** Whether a row isn't judged, because other processes of the machine may have decided its value. */
export function isUnjudged({ unit, ratio, failAbove, failBelow }: BenchmarkRow, load: number): boolean {
  const isJudged = failAbove !== undefined || failBelow !== undefined;
  return isJudged && load > mostLoad && ratio === undefined && clockUnits.has(unit);
}

/**
 * Whether the target is missed so far that the run fails. A value that couldn't be measured also counts.
 * @param load The load per processor when the benchmark began.
 */
export function isFarOff(row: BenchmarkRow, load: number): boolean {
  const { value, ratio = value, failAbove, failBelow } = row;
  if ((failAbove === undefined && failBelow === undefined) || isUnjudged(row, load)) return false;
  return Number.isNaN(ratio) || ratio > (failAbove ?? Infinity) || ratio < (failBelow ?? -Infinity);
}

function cells(row: BenchmarkRow, load: number): readonly string[] {
  const { name, value, unit, ratio, ratioTo, target } = row;
  return [
    name,
    formatNumber(value),
    unit,
    ratio === undefined ? "" : `${formatNumber(ratio)}×`,
    ratioTo ?? "",
    target ?? "",
    isFarOff(row, load) ? "← yes" : isUnjudged(row, load) ? "not judged" : "",
  ];
}

/** Three significant digits, but at least all digits of the whole number. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 6) });
}

function pad(cell: string, width: number, isRight: boolean): string {
  return isRight ? cell.padStart(width) : cell.padEnd(width);
}
