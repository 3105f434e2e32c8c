// Runs every `*.bench.ts` under test/bench, or those whose path contains one of the arguments, each in a process of its
// own, and prints the results: `npm run bench -- decode activation`. They are also written to out/bench, as JSON and as
// an image. With `--docs`, the README's image is drawn anew. Fails if a benchmark fails or hangs, or if a target is
// missed by far.
import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchmarkReport } from "./benchmark.ts";
import { drawPlot, drawSummary } from "./plot.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const one = fileURLToPath(new URL("runOne.ts", import.meta.url));
const outputFolder = join(root, "out", "bench");
/** No benchmark takes half of this. */
const limitMinutes = 20;

const words = process.argv.slice(2).filter((word) => word !== "--docs");
if (process.env["CHROMIUM"] === undefined) {
  // Started directly rather than by npm: several benchmarks need a browser and VS Code, which are set up first.
  const { status } = spawnSync(process.execPath, [join(root, "test/bench.mjs"), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  process.exit(status ?? 1);
}
const files = globSync("test/bench/**/*.bench.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted();

if (files.length === 0) {
  console.error(`No benchmark has ${words.join(" or ")} in its path.`);
  process.exit(1);
}

let endCurrent = (): void => undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    endCurrent();
    process.exit(1);
  });
}

rmSync(outputFolder, { recursive: true, force: true });
mkdirSync(outputFolder, { recursive: true });
const outcomes: (readonly [string, string | undefined])[] = [];
for (const file of files) {
  const start = Date.now();
  const failure = await runFile(file);
  outcomes.push([file, failure]);
  console.log(`(${file}, ${((Date.now() - start) / 1000).toFixed(0)} s${failure ? `: ${failure}` : ""})`);
}
const failed = outcomes.filter(([, failure]) => failure !== undefined);
await writeResults();
console.log(`\n${outcomes.length - failed.length} of ${outcomes.length} benchmarks passed.`);
for (const [file, failure] of failed) console.log(`  ${file}: ${failure}`);
process.exit(failed.length === 0 ? 0 : 1);

/** Where the process of a benchmark writes what it has measured. */
function outputOf(file: string): string {
  return join(outputFolder, `${basename(file, ".bench.ts")}.json`);
}

/** Writes what was measured on which machine to one file, and draws the ratios. */
async function writeResults(): Promise<void> {
  const reports = files.flatMap((file): readonly BenchmarkReport[] => {
    try {
      const text = readFileSync(outputOf(file), "utf8");
      rmSync(outputOf(file));
      return [JSON.parse(text) as BenchmarkReport];
    } catch {
      // It failed, which is reported.
      return [];
    }
  });
  const machine = {
    ...{ node: process.version, platform: platform(), architecture: arch() },
    ...{ processors: availableParallelism(), model: cpus()[0]?.model ?? "" },
  };
  const results = { date: new Date().toISOString(), machine, reports };
  writeFileSync(join(outputFolder, "results.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  await drawPlot(reports, join(outputFolder, "ratios.png"));
  const picture = join(root, "media", "screenshots", "speed.png");
  if (process.argv.includes("--docs") && !(await drawSummary(reports, picture)))
    console.log("The README's image needs all of its benchmarks, and stays as it was.");
  console.log(`\nThe results are in ${join("out", "bench")}: results.json and ratios.png.`);
}

/** Returns why it failed. */
function runFile(file: string): Promise<string | undefined> {
  // In a group of its own, so that the browsers and servers that a hanging benchmark has started end with it.
  const isGroup = process.platform !== "win32";
  const child = spawn(process.execPath, [...process.execArgv, one, join(root, file), outputOf(file)], {
    cwd: root,
    stdio: "inherit",
    detached: isGroup,
  });
  endCurrent = () => {
    if (isGroup && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  };
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endCurrent();
  }, limitMinutes * 60_000);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      clearTimeout(limit);
      endCurrent = () => undefined;
      if (isLate) resolve(`it wasn't finished after ${limitMinutes} minutes`);
      else if (code === 0) resolve(undefined);
      else resolve(code === 2 ? "targets were missed by far" : `it ended with ${signal ?? `code ${code}`}`);
    });
  });
}
