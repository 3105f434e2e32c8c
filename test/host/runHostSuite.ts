// Runs the host suite in one VS Code through @vscode/test-electron: `runHostSuite.ts newest|oldest [grep]`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTests } from "@vscode/test-electron";
import { buildSuite } from "./buildSuite.ts";
import type { HostSuite } from "./buildSuite.ts";
import { findVscode } from "./executable.ts";
import { writeUserSettings } from "./userSettings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [wanted, grep = ""] = process.argv.slice(2);
const version = wanted === "oldest" ? "oldest" : "newest";
const scratch = mkdtempSync(join(tmpdir(), "host-suite-"));
const userData = join(scratch, "user-data");
writeUserSettings(join(userData, "User", "settings.json"), {});

/** The tests for a local folder can't run in a workspace without one, so these are separate suites. */
async function run(
  suite: HostSuite,
  launchArgs: readonly string[],
  extensions: readonly string[],
): Promise<number> {
  return await runTests({
    vscodeExecutablePath: executable,
    extensionDevelopmentPath: [root, ...extensions],
    extensionTestsPath: await buildSuite(root, version, suite),
    extensionTestsEnv: {
      HOST_SUITE_GREP: grep,
      HOST_SUITE_ORDER: process.env["HOST_SUITE_ORDER"] ?? "",
    },
    launchArgs: [
      ...launchArgs,
      `--user-data-dir=${userData}`,
      `--extensions-dir=${join(scratch, "extensions")}`,
      "--disable-extensions",
    ],
  }).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  });
}

const executable = await findVscode(join(root, "out", "host"), version);
const codes = [
  await run("suite", [scratch], []),
  await run(
    "virtual",
    ["--folder-uri=memfs:/project"],
    [join(root, "test", "fixtures", "memory-file-system")],
  ),
];
rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
process.exit(Math.max(...codes));
