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
  await draw(plotPage(reports), path, 1_000);
}

/** What others take for the same work, as a multiple of what ours takes: what the README shows. */
const comparisons: readonly {
  readonly title: string;
  readonly file: string;
  readonly ours: string;
  /** The name of the row with its measurement, by what is compared. */
  readonly others: Readonly<Record<string, string>>;
}[] = [
  {
    title: "Decode a stream: CPU time of the extension host",
    file: "decode",
    ours: "plain, 16 kB HTTP chunks: ours, typed events",
    others: {
      "eventsource-parser and JSON.parse":
        "plain, 16 kB HTTP chunks: undici, eventsource-parser and JSON.parse",
      "openai package": "plain, 16 kB HTTP chunks: openai package",
      "AI SDK": "ai package",
    },
  },
  {
    title: "Show what arrives in a frame after 5,000 tokens: main thread of the page",
    file: "render",
    ours: "our page, main thread at 5,000 tokens",
    others: {
      streamdown: "streamdown, main thread at 5,000 tokens",
      "react-markdown": "react-markdown, main thread at 5,000 tokens",
      "markdown-it over the whole text": "markdown-it over the whole text, main thread at 5,000 tokens",
    },
  },
  {
    title: "The same after 50,000 tokens",
    file: "render",
    ours: "our page, main thread at 50,000 tokens",
    others: {
      "markdown-it over the whole text": "markdown-it over the whole text, main thread at 50,000 tokens",
    },
  },
  {
    title: "5,000 tokens at 2,000 tokens/s: main thread of VS Code's window",
    file: "nativeChat",
    ours: "ours, main thread",
    others: { "VS Code's own chat": "VS Code's own, main thread" },
  },
];

/**
 * Draws the comparisons for the README.
 * @returns False if one of them wasn't measured.
 */
export async function drawSummary(reports: readonly BenchmarkReport[], path: string): Promise<boolean> {
  const valueOf = (file: string, name: string): number =>
    reports.find((report) => report.file.endsWith(`/${file}.bench.ts`))?.rows.find((row) => row.name === name)
      ?.value ?? NaN;
  const parts = comparisons.flatMap(({ title, file, ours, others }) => [
    `<h2>${escape(title)}</h2>`,
    summaryRow("Inference Gateway", 1),
    ...Object.entries(others).map(([name, row]) =>
      summaryRow(name, valueOf(file, row) / valueOf(file, ours)),
    ),
  ]);
  if (parts.join("").includes("NaN")) return false;
  const heading = "<h1>Time for the same work, Inference Gateway = 1 (logarithmic)</h1>";
  await draw(
    `<!doctype html><meta charset="utf-8"><style>${style}</style>${heading}${parts.join("")}`,
    path,
    760,
  );
  return true;
}

function summaryRow(name: string, times: number): string {
  const width = 12 + (Math.log(Math.max(1 / 4, times) * 4) / Math.log(4 * 256)) * 88;
  const number = times.toLocaleString("en", { maximumSignificantDigits: 2 });
  const kind = times === 1 ? "own" : "other";
  return `<div class="row ${kind}"><span class="name">${escape(name)}</span><span class="track"><i style="left:0;width:${width.toFixed(2)}%"></i></span><span class="value">${number}×</span></div>`;
}

async function draw(content: string, path: string, width: number): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "",
    args: ["--no-sandbox"],
  });
  try {
    const page = await browser.newPage({ viewport: { width, height: 100 }, deviceScaleFactor: 1.5 });
    await page.setContent(content);
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
.row { display: grid; grid-template-columns: minmax(230px, 33%) minmax(260px, 40%) 1fr; gap: 12px; align-items: center; line-height: 17px; }
.name { text-align: right; }
.track { position: relative; height: 11px; background: #eee; }
.own .track, .other .track { background: none; }
.own .track::after, .other .track::after { display: none; }
.other .track i { background: #8a94a0; }
.track::after { content: ""; position: absolute; left: 50%; top: -3px; bottom: -3px; border-left: 1px solid #222; }
.track i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: #2472c8; }
.far i { background: #cd3131; }
.unjudged i { background: #999; }
small { color: #666; }
`;
