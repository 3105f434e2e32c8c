// Runs one benchmark and prints its rows. Exits with 2 if a target is missed by far.
import { pathToFileURL } from "node:url";
import type { Benchmark } from "./benchmark.ts";
import { formatTable, isFarOff } from "./table.ts";

const file = process.argv[2] ?? "";
const { benchmark } = (await import(pathToFileURL(file).href)) as { readonly benchmark?: Benchmark };
if (benchmark === undefined) throw new Error(`${file} exports no benchmark.`);
console.log(`\n${benchmark.title}`);
const rows = await benchmark.run();
console.log(formatTable(rows));
// Anything that is still open, such as a connection that is kept alive, would keep the process running.
process.exit(rows.some(isFarOff) ? 2 : 0);
