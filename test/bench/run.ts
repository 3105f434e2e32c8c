// Runs every `*.bench.ts` under test/bench, or those whose path contains one of the arguments, each in a process of its
// own, and prints the results: `npm run bench -- decode activation`. Fails if a benchmark fails or hangs, or if a
// target is missed by far.
import { spawn, spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const one = fileURLToPath(new URL("runOne.ts", import.meta.url));
/** No benchmark takes half of this. */
const limitMinutes = 20;

const words = process.argv.slice(2);
if (process.env["CHROMIUM"] === undefined) {
  // Started directly rather than by npm: several benchmarks need a browser and VS Code, which are set up first.
  const { status } = spawnSync(process.execPath, [join(root, "test/bench.mjs"), ...words], {
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

const outcomes: (readonly [string, string | undefined])[] = [];
for (const file of files) {
  const start = Date.now();
  const failure = await runFile(file);
  outcomes.push([file, failure]);
  console.log(`(${file}, ${((Date.now() - start) / 1000).toFixed(0)} s${failure ? `: ${failure}` : ""})`);
}
const failed = outcomes.filter(([, failure]) => failure !== undefined);
console.log(`\n${outcomes.length - failed.length} of ${outcomes.length} benchmarks passed.`);
for (const [file, failure] of failed) console.log(`  ${file}: ${failure}`);
process.exit(failed.length === 0 ? 0 : 1);

/** Returns why it failed. */
function runFile(file: string): Promise<string | undefined> {
  // In a group of its own, so that the browsers and servers that a hanging benchmark has started end with it.
  const isGroup = process.platform !== "win32";
  const child = spawn(process.execPath, [...process.execArgv, one, join(root, file)], {
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
