// Runs one benchmark, prints its rows, and writes them to the file in the second argument. Exits with 2 if a target is
// missed by far.
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { formatTable, isFarOff } from "./table.ts";

const [file = "", output = ""] = process.argv.slice(2);
const { benchmark } = (await import(pathToFileURL(file).href)) as { readonly benchmark?: Benchmark };
if (benchmark === undefined) throw new Error(`${file} exports no benchmark.`);
console.log(`\n${benchmark.title}`);
const load = (loadavg()[0] ?? 0) / availableParallelism();
const start = Date.now();
const rows = await benchmark.run();
console.log(formatTable(rows, load));
const report: BenchmarkReport = {
  ...{ file: relative(process.cwd(), file), title: benchmark.title, load, rows },
  seconds: (Date.now() - start) / 1_000,
};
writeFileSync(output, JSON.stringify(report));
// Anything that is still open, such as a connection that is kept alive, would keep the process running.
process.exit(rows.some((row) => isFarOff(row, load)) ? 2 : 0);
