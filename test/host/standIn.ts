// A stand-in for the desktop executable: takes the arguments that @vscode/test-electron passes, runs them in a VS Code
// server driven by headless Chromium, and exits with the exit code of the tests.
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { launchBrowser } from "./browser.ts";
import { isNoise } from "./outputNoise.ts";
import { startVscodeServer } from "./vscodeServer.ts";
import { Workbench } from "./workbench.ts";

const limitMs = 240_000;

const { values, positionals } = parseArgs({
  options: {
    extensionDevelopmentPath: { type: "string" },
    extensionTestsPath: { type: "string" },
  },
  strict: false,
  allowPositionals: true,
});

function pathOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.startsWith("file:") ? fileURLToPath(value) : resolve(value);
}

const extension = pathOf(values["extensionDevelopmentPath"]);
const tests = pathOf(values["extensionTestsPath"]);
const server = await startVscodeServer({
  version: process.env["STAND_IN_VERSION"] === "oldest" ? "oldest" : "newest",
  settings: { "chat.disableAIFeatures": false },
});
const chromium = await launchBrowser();
const workbench = await Workbench.open(chromium.context, server, {
  folder: positionals.find((argument) => !argument.startsWith("-")) ?? server.dataFolder,
  ...(extension === undefined ? {} : { extension }),
  ...(tests === undefined ? {} : { tests }),
  onOutput(line) {
    if (!isNoise(line)) process.stdout.write(`${line}\n`);
  },
});
const code = await Promise.race([workbench.exit, timeLimit()]);
if (code !== 0) await workbench.screenshot("out/failures/host.png").catch(() => undefined);
await chromium.close();
await server.stop();
process.exit(code);

/** Does not keep the process alive by itself. */
function timeLimit(): Promise<number> {
  return new Promise((done) => {
    setTimeout(() => {
      process.stderr.write(`The tests did not end within ${limitMs / 1000} s.\n`);
      done(124);
    }, limitMs).unref();
  });
}
