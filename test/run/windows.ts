// Runs the unit tests with Node for Windows: on Windows itself, or elsewhere under Wine, where pipes, locked files, paths,
// scripts and SQLite behave as on Windows. Arguments are paths of tests; without any, all of them run.
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { add, countMocha } from "./count.ts";
import type { Count } from "./count.ts";
import { wineLimits } from "./wineLimits.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** One after the other, because Wine's processes get slower with what ran before. */
const rooms = [
  "properties",
  "core",
  "gateway",
  "storage",
  "processes",
  "localGateway",
  "vscode",
  "l10n",
  "support",
];
const isWindows = process.platform === "win32";

const { WINDOWS_NODE: node = "", WINE: wine = "" } = process.env;

if (!isWindows && wine === "") {
  process.stdout.write("Wine isn't installed, so nothing was run. On Debian, install the package wine64.\n");
  process.exitCode = 1;
} else await runAll();

async function runAll(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "wine-"));
  const paths = process.argv.slice(2);
  let total: Count = { passed: 0, failed: 0, skipped: 0 };
  for (const path of paths.length > 0 ? paths : rooms.map((room) => `test/${room}/**/*.test.ts`)) {
    const output = await runMocha(path, scratch);
    const count = countMocha(output) ?? { passed: 0, failed: 1, skipped: 0 };
    if (count.failed > 0) process.stdout.write(`${output.slice(output.search(/^ {2}\d+ passing/m))}\n`);
    process.stdout.write(
      `${path}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`,
    );
    total = add(total, count);
  }
  if (!isWindows)
    for (const [reason, titles] of Object.entries(wineLimits))
      process.stdout.write(
        `Left out because ${reason}:\n${titles.map((title) => `  ${title} …\n`).join("")}`,
      );
  process.stdout.write(
    `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped on Windows\n`,
  );
  process.exitCode = total.failed > 0 ? 1 : 0;
  rmSync(scratch, { recursive: true, force: true });
}

function escape(title: string): string {
  return title.replaceAll(/[.()[\]{}+*?^$|\\]/g, String.raw`\$&`);
}

/** What mocha prints. It goes to a file first, because Node can't use pipes of Linux under Wine. */
async function runMocha(path: string, scratch: string): Promise<string> {
  const command = [
    ...["--experimental-strip-types", "--disable-warning=ExperimentalWarning"],
    ...["node_modules/mocha/bin/mocha.js", "--exit", "--no-color", "--timeout", "60000"],
    ...["--require", "./test/support/unhandledRejections.ts"],
    ...(isWindows
      ? []
      : ["--invert", "--grep", `^(?:${Object.values(wineLimits).flat().map(escape).join("|")})`]),
    path,
  ];
  const file = join(scratch, "output");
  const output = openSync(file, "w");
  const child = spawn(isWindows ? node : wine, isWindows ? command : [node, ...command], {
    cwd: root,
    stdio: ["ignore", output, output],
    // A prefix of its own, without questions, windows and messages.
    env: {
      ...process.env,
      WINEPREFIX: join(process.env["INFERENCE_GATEWAY_DEV_CACHE"] ?? tmpdir(), "wine"),
      WINEDEBUG: "-all",
      WINEDLLOVERRIDES: "mscoree,mshtml=",
      DISPLAY: "",
      NODE_SKIP_PLATFORM_CHECK: "1",
    },
  });
  await new Promise((resolve) => child.once("close", resolve));
  return readFileSync(file, "utf8");
}
