// A stand-in for the desktop executable: takes the arguments that @vscode/test-electron passes, runs them in a VS Code
// server driven by headless Chromium, and exits with the tests' exit code.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../src/core/kernel/json.ts";
import { launchBrowser } from "./browser.ts";
import { asReport, describeWindows, saveFailure } from "./failureReport.ts";
import { isNoise } from "./outputNoise.ts";
import { parseStandInArguments } from "./standInArguments.ts";
import type { Settings } from "./userSettings.ts";
import { startVscodeServer } from "./vscodeServer.ts";
import { Workbench } from "./workbench.ts";

/** A suite that exceeds this hangs. On a busy machine, one takes several times as long as on its own. */
const limitMs = 400_000;
const version = process.env["STAND_IN_VERSION"] === "oldest" ? "oldest" : "newest";
const {
  workspace,
  extensions: [extension, ...others],
  tests,
  settingsFile,
} = parseStandInArguments(process.argv.slice(2));

// The parent process holds the other end. When it is gone, this process exits too, with the server and the browser.
process.stdin.resume().once("end", () => process.exit(130));

const server = await startVscodeServer({
  version,
  settings: readSettings(settingsFile),
  // A window in a browser takes only one extension under development.
  extensions: others,
});
const chromium = await launchBrowser({ hasMotion: false });
const failures: Promise<string>[] = [];
let hasSummary = false;
const workbench = await Workbench.open(chromium.context, server, {
  folder: workspace ?? server.dataFolder,
  ...(extension === undefined ? {} : { extension }),
  ...(tests === undefined ? {} : { tests }),
  onOutput(line) {
    if (!isNoise(line)) process.stdout.write(`${line}\n`);
    // The suite numbers the tests that fail. Its summary repeats their titles, when their details are no longer
    // visible.
    if (/^ {2}\d+ passing/.test(line)) hasSummary = true;
    else if (!hasSummary && /^ +\d+\) /.test(line)) failures.push(reportTest(line.trim()));
  },
});
const code = await Promise.race([workbench.exit, sleep(limitMs, undefined, { ref: false })]);
if (code === undefined) process.stderr.write(`The tests did not end within ${limitMs / 1000} s.\n`);
for (const report of await Promise.all(failures)) process.stdout.write(`\n${report}`);
if (code !== 0) await saveFailure(`host-${version}`, workbench, server, false);
await chromium.close();
await server.stop();
process.exit(code ?? 124);

async function reportTest(title: string): Promise<string> {
  return asReport([`Visible when “${title}” failed:`, ...(await describeWindows(workbench))]);
}

function readSettings(file: string | undefined): Settings {
  if (file === undefined || !existsSync(file)) return {};
  const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
  return isRecord(settings) ? settings : {};
}
