// Runs every `*.bench.ts` under test/bench, or those whose path contains one of the arguments, and prints the results:
// `npm run bench -- decode activation`.
import { globSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import { formatTable } from "./table.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const words = process.argv.slice(2);
const files = globSync("test/bench/**/*.bench.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted();

if (files.length === 0) {
  console.error(`No benchmark has ${words.join(" or ")} in its path.`);
  process.exit(1);
}
const failures: string[] = [];
for (const file of files) await runFile(file);
if (failures.length > 0) console.error(`Failed: ${failures.join(", ")}`);
process.exit(failures.length === 0 ? 0 : 1);

/** If one benchmark fails, the others still run. */
async function runFile(file: string): Promise<void> {
  const start = Date.now();
  try {
    const benchmark = await load(file);
    console.log(`\n${benchmark.title}`);
    const rows = await benchmark.run();
    console.log(formatTable(rows));
    failures.push(...rows.filter(isFarOff).map(({ name }) => `${file} (${name})`));
    console.log(`(${file}, ${((Date.now() - start) / 1000).toFixed(0)} s)`);
  } catch (error) {
    failures.push(file);
    console.error(`\n${file} failed.`, error);
  }
}

function isFarOff({ value, ratio = value, failAbove, failBelow }: BenchmarkRow): boolean {
  return (failAbove !== undefined && ratio > failAbove) || (failBelow !== undefined && ratio < failBelow);
}

async function load(file: string): Promise<Benchmark> {
  const { benchmark } = (await import(pathToFileURL(join(root, file)).href)) as {
    readonly benchmark?: Benchmark;
  };
  if (benchmark === undefined) throw new Error(`${file} exports no benchmark.`);
  return benchmark;
}
