// Runs everything, or the stages named as arguments: lint, types, unit, oldest, newest, package, e2e.
// The last line is `N passed, N failed`; a stage that ran no test counts as a failure.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const mochaBin = "node_modules/mocha/bin/mocha.js";

interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Stage {
  readonly name: string;
  readonly command: readonly string[];
  /** Reads the count of tests out of what the command printed; without it the exit code is the one test. */
  readonly count?: (output: string) => Count | undefined;
}

const unitFolders = "{core,gateway,storage,localGateway,vscode,webview,support}";

const stages: readonly Stage[] = [
  { name: "types", command: ["npm", "run", "--silent", "typecheck"] },
  { name: "lint", command: ["npm", "run", "--silent", "lint"] },
  {
    name: "unit",
    command: [
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      mochaBin,
      "--timeout",
      "60000",
      `test/${unitFolders}/**/*.test.ts`,
    ],
    count: countMocha,
  },
  {
    name: "newest",
    command: [process.execPath, "test/host/runHostSuite.ts", "newest"],
    count: countHostSuite,
  },
  {
    name: "oldest",
    command: [process.execPath, "test/host/runHostSuite.ts", "oldest"],
    count: countHostSuite,
  },
  {
    name: "e2e",
    command: [process.execPath, mochaBin, "--timeout", "240000", "test/e2e/**/*.e2e.ts"],
    count: countMocha,
  },
];

/** Stages that may run beside each other: the machine has two cores, and the browser wants one for itself. */
const lanes: readonly (readonly string[])[] = [
  ["types", "lint", "oldest"],
  ["unit", "newest", "e2e"],
];

const wanted = process.argv.slice(2);
const chosen = stages.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
rmSync(`${root}/out/failures`, { recursive: true, force: true });

if (chosen.some(({ name }) => ["newest", "oldest", "e2e"].includes(name))) {
  const built = await run(["npm", "run", "--silent", "build"]);
  if (built.code !== 0) {
    process.stdout.write(`${built.output}\nThe build failed.\n0 passed, 1 failed\n`);
    process.exit(1);
  }
}

const counts = await Promise.all(
  lanes.map(async (lane) => {
    const results: Count[] = [];
    for (const stage of chosen.filter(({ name }) => lane.includes(name))) results.push(await runStage(stage));
    return results;
  }),
);
const total = counts.flat().reduce((sum, count) => ({
  passed: sum.passed + count.passed,
  failed: sum.failed + count.failed,
}));
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

async function runStage(stage: Stage): Promise<Count> {
  const start = Date.now();
  const { code, output } = await run(stage.command);
  const count = judge(stage, code, output);
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  if (count.failed > 0) process.stdout.write(`\n${output}\n`);
  process.stdout.write(`${stage.name}: ${count.passed} passed, ${count.failed} failed in ${seconds} s\n`);
  return count;
}

/** A stage whose command failed, or that ran no test, has failed, whatever it counted. */
function judge(stage: Stage, code: number, output: string): Count {
  if (stage.count === undefined) return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const count = stage.count(output) ?? { passed: 0, failed: 0 };
  const isSilentFailure = count.failed === 0 && (code !== 0 || count.passed === 0);
  return isSilentFailure ? { passed: count.passed, failed: 1 } : count;
}

function countMocha(output: string): Count | undefined {
  const passed = /^ {2}(\d+) passing/m.exec(output)?.[1];
  const failed = /^ {2}(\d+) failing/m.exec(output)?.[1];
  return passed === undefined ? undefined : { passed: Number(passed), failed: Number(failed ?? 0) };
}

function countHostSuite(output: string): Count | undefined {
  const line = /HOST-SUITE-RESULT \{"passed":(\d+),"failed":(\d+)\}/.exec(output);
  return line === null ? undefined : { passed: Number(line[1]), failed: Number(line[2]) };
}

function run(command: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => resolve({ code: code ?? 1, output: parts.join("") }));
  });
}
