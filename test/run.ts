// Runs everything, or what the arguments name: stages (types, lint, unit, page, oldest, newest, e2e) and, for any other
// word, the tests whose titles contain it. The last line is `N passed, N failed`.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { add, judge } from "./run/count.ts";
import type { Count } from "./run/count.ts";
import { endCommands, runCommand } from "./run/runCommand.ts";
import { fast, groups, lanes, shared, waiting } from "./run/stages.ts";
import type { Stage } from "./run/stages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const logs = `${root}/out/logs`;
const allStages = [...lanes.flat(), ...waiting, ...shared, fast];
const known = new Set(allStages.map(({ name }) => name));
const words = process.argv.slice(2).flatMap((word) => groups[word] ?? [word]);
const wanted = words.filter((word) => known.has(word));
const grep = words.filter((word) => !known.has(word)).join(" ");

// Killed programs leave their files behind, so all files are removed with one folder. Its name is short because socket
// paths are limited.
const scratch = mkdtempSync(join(tmpdir(), "gateway-"));
// Other accounts can reach a folder in it whose name they know, such as that of the SSH server's account.
chmodSync(scratch, 0o711);
for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = scratch;
// Stand-ins for programs are scripts there. Another package.json in the temporary folder could make them ES modules.
writeFileSync(join(scratch, "package.json"), '{ "type": "commonjs" }\n');

process.once("exit", () => {
  endCommands();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
rmSync(`${root}/out/failures`, { recursive: true, force: true });
mkdirSync(logs, { recursive: true });

const start = Date.now();
const total = (await build()) ? await runLanes() : { passed: 0, failed: 1, skipped: 0 };
process.stdout.write(`All of it took ${secondsSince(start)}.\n`);
if (total.passed + total.failed === 0) process.stdout.write("No test was run.\n");
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** Whether the stage should run. With part of a title, only stages with titled tests run. */
function isChosen(stage: Stage): boolean {
  if (wanted.length > 0 || stage === fast) return wanted.includes(stage.name);
  return grep === "" || stage.count !== undefined;
}

async function build(): Promise<boolean> {
  if (!allStages.some((stage) => isChosen(stage) && stage.needsBuild === true)) return true;
  const { code, output } = await runCommand([process.execPath, "esbuild.js", "--production"], root);
  if (code !== 0) process.stdout.write(`${output}\nThe build failed.\n`);
  return code === 0;
}

async function runLanes(): Promise<Count> {
  const queue = [...shared, fast].filter(isChosen);
  const results: Count[] = [];
  await Promise.all([
    ...waiting.filter(isChosen).map(async (stage) => results.push(await runStage(stage))),
    ...lanes.map(async (lane) => {
      for (const stage of lane.filter(isChosen)) results.push(await runStage(stage));
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        results.push(await runStage(next));
    }),
  ]);
  return results.reduce(add, { passed: 0, failed: 0, skipped: 0 });
}

async function runStage(stage: Stage): Promise<Count> {
  const began = Date.now();
  const { code, output } = await runCommand(stage.command(grep), root);
  writeFileSync(`${logs}/${stage.name}.log`, output);
  const count = judge(code, stage.count?.(output), stage.count !== undefined, grep !== "");
  if (count.failed > 0) process.stdout.write(`\n${failuresOf(output)}\n`);
  const skipped = count.skipped === 0 ? "" : `, ${count.skipped} skipped`;
  const { passed, failed } = count;
  process.stdout.write(
    `${stage.name}: ${passed} passed, ${failed} failed${skipped} in ${secondsSince(began)}\n`,
  );
  return count;
}

/** Mocha reports failures after its summary. Anything before that is in the log. */
function failuresOf(output: string): string {
  const summary = /^ {2}\d+ passing/m.exec(output);
  return summary === null ? output : output.slice(summary.index);
}

function secondsSince(time: number): string {
  return `${((Date.now() - time) / 1000).toFixed(1)} s`;
}
