import type { BenchmarkRow } from "./benchmark.ts";

const headings = ["", "value", "unit", "ratio", "to", "target", "missed by far"] as const;
/** Columns with numbers. */
const rightAligned = new Set([1, 3]);

/** The rows as a plain-text table, without empty columns. */
export function formatTable(rows: readonly BenchmarkRow[]): string {
  const lines = [headings, ...rows.map(cells)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const used = headings.map((_, column) => rows.some((row) => cells(row)[column] !== ""));
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

/** Whether the target is missed so far that the run fails. A value that couldn't be measured also counts. */
export function isFarOff({ value, ratio = value, failAbove, failBelow }: BenchmarkRow): boolean {
  if (failAbove === undefined && failBelow === undefined) return false;
  return Number.isNaN(ratio) || ratio > (failAbove ?? Infinity) || ratio < (failBelow ?? -Infinity);
}

function cells(row: BenchmarkRow): readonly string[] {
  const { name, value, unit, ratio, ratioTo, target } = row;
  return [
    name,
    formatNumber(value),
    unit,
    ratio === undefined ? "" : `${formatNumber(ratio)}×`,
    ratioTo ?? "",
    target ?? "",
    isFarOff(row) ? "← yes" : "",
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
