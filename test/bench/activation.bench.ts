import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureFreshStart } from "./activation/freshStart.ts";
import type { ActivationTime } from "./activation/freshStart.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

const starts = 3;
const root = fileURLToPath(new URL("../..", import.meta.url));
const ours = "inference-gateway.inference-gateway";
const empty = "inference-gateway-dev.empty";

export const benchmark: Benchmark = {
  title: `Activation in the real host (medians of ${starts} fresh starts) and what is loaded for it`,
  async run() {
    const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root });
    if (built.status !== 0) throw new Error("The build failed.");
    return [...(await measureTimes()), ...measureSizes()];
  },
};

async function measureTimes(): Promise<readonly BenchmarkRow[]> {
  const rounds: ReadonlyMap<string, ActivationTime>[] = [];
  for (let start = 0; start < starts; start++) rounds.push(await measureFreshStart(start % 2 === 1));
  const middle = (id: string, measure: (time: ActivationTime) => number): number =>
    median(rounds.flatMap((round) => round.get(id) ?? []).map(measure));
  const row = (name: string, measure: (time: ActivationTime) => number): BenchmarkRow => {
    const [value, floor] = [middle(ours, measure), middle(empty, measure)];
    // VS Code's own table only has whole milliseconds, and a ratio to zero isn't meaningful.
    const ratio = floor > 0 ? { ratio: value / floor, ratioTo: "an empty extension" } : {};
    return { name, value, unit: "ms", ...ratio };
  };
  const ownTime = ({ loadCode, callActivate }: ActivationTime): number => loadCode + callActivate;
  return [
    row("until active, as a caller sees it", ({ total }) => total),
    row("load code", ({ loadCode }) => loadCode),
    row("inside activate", ({ callActivate }) => callActivate),
    {
      // VS Code is still starting in other processes, which take most of this time on a machine with two cores.
      ...{
        name: "our code: both, more than the empty extension's",
        unit: "ms",
        target: "< 15 ms",
        failAbove: 150,
      },
      value: middle(ours, ownTime) - middle(empty, ownTime),
    },
  ];
}

function measureSizes(): readonly BenchmarkRow[] {
  const kilobytes = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + statSync(`${root}dist/${name}`).size, 0) / 1000;
  const page = kilobytes("webview/chat.js", "webview/chunk.js");
  return [
    {
      name: "host code loaded at activation",
      value: kilobytes("extension.cjs"),
      unit: "kB",
      target: "< 60 kB",
      failAbove: 60,
    },
    {
      ...{ name: "chat page at its start", value: page, unit: "kB" },
      ...{ target: "< 112 kB", failAbove: 120 },
    },
    {
      ...{
        name: "chat page with messages",
        value: page + kilobytes("webview/messageViews.js", "webview/markdown.js"),
        unit: "kB",
      },
      ...{ target: "< 240 kB", failAbove: 260 },
    },
    {
      ...{ name: "the .vsix", value: packageKilobytes(), unit: "kB" },
      ...{ target: "< 2,200 kB", failAbove: 2_600 },
    },
  ];
}

function packageKilobytes(): number {
  const folder = mkdtempSync(join(tmpdir(), "package-"));
  try {
    const file = join(folder, "extension.vsix");
    const packager = join(root, "node_modules/@vscode/vsce/vsce");
    const args = [packager, "package", "--no-dependencies", "--out", file];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`The packaging failed.\n${stderr}`);
    return statSync(file).size / 1000;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
