import { chromium } from "playwright-core";
import type { BenchmarkReport, BenchmarkRow } from "./benchmark.ts";
import { isFarOff, isUnjudged } from "./table.ts";

/** The ratios between which bars are drawn in full. */
const [least, most] = [1 / 32, 32];

/**
 * Draws one bar for each ratio on a logarithmic scale, from 1 to the left if ours takes less than the alternative.
 * @param path Where the PNG is written.
 */
export async function drawPlot(reports: readonly BenchmarkReport[], path: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "",
    args: ["--no-sandbox"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1_000, height: 100 }, deviceScaleFactor: 1.5 });
    await page.setContent(plotPage(reports));
    await page.screenshot({ path, fullPage: true });
  } finally {
    await browser.close();
  }
}

function plotPage(reports: readonly BenchmarkReport[]): string {
  const parts = reports.flatMap((report) => {
    const rows = report.rows.filter(
      ({ ratio }) => ratio !== undefined && Number.isFinite(ratio) && ratio > 0,
    );
    if (rows.length === 0) return [];
    return [`<h2>${escape(report.title)}</h2>`, ...rows.map((row) => plotRow(row, report.load))];
  });
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
<h1>Time or size relative to the alternative in the same run: left of the line is less</h1>${parts.join("\n")}`;
}

function plotRow(row: BenchmarkRow, load: number): string {
  const { name, ratio = 1, ratioTo = "", target } = row;
  const place = (value: number): number =>
    (Math.log(Math.min(most, Math.max(least, value)) / least) / Math.log(most / least)) * 100;
  const [from, to] = [place(Math.min(1, ratio)), place(Math.max(1, ratio))];
  const kind = isFarOff(row, load) ? "far" : isUnjudged(row, load) ? "unjudged" : "";
  const number = ratio.toLocaleString("en", { maximumSignificantDigits: 3 });
  return `<div class="row ${kind}"><span class="name">${escape(name)}</span><span class="track"><i style="left:${from}%;width:${to - from}%"></i></span><span class="value">${number}× ${escape(ratioTo)}${target === undefined ? "" : ` <small>(target ${escape(target)})</small>`}</span></div>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const style = `
body { margin: 20px; font: 12px system-ui, sans-serif; color: #222; background: #fff; }
h1 { font-size: 15px; }
h2 { font-size: 12px; margin: 14px 0 4px; }
.row { display: grid; grid-template-columns: 330px 260px 1fr; gap: 12px; align-items: center; line-height: 17px; }
.name { text-align: right; }
.track { position: relative; height: 11px; background: #eee; }
.track::after { content: ""; position: absolute; left: 50%; top: -3px; bottom: -3px; border-left: 1px solid #222; }
.track i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: #2472c8; }
.far i { background: #cd3131; }
.unjudged i { background: #999; }
small { color: #666; }
`;
