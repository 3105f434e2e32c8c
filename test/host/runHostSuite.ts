// Runs the host suite in one VS Code through @vscode/test-electron: `runHostSuite.ts newest|oldest [grep]`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTests } from "@vscode/test-electron";
import { buildSuite } from "./buildSuite.ts";
import { findVscode } from "./executable.ts";
import { writeUserSettings } from "./userSettings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [wanted, grep = ""] = process.argv.slice(2);
const version = wanted === "oldest" ? "oldest" : "newest";
const scratch = mkdtempSync(join(tmpdir(), "host-suite-"));
const userData = join(scratch, "user-data");
writeUserSettings(join(userData, "User", "settings.json"), {});

const code = await runTests({
  vscodeExecutablePath: await findVscode(join(root, "out", "host"), version),
  extensionDevelopmentPath: root,
  extensionTestsPath: await buildSuite(root, version),
  extensionTestsEnv: { HOST_SUITE_GREP: grep },
  launchArgs: [
    scratch,
    `--user-data-dir=${userData}`,
    `--extensions-dir=${join(scratch, "extensions")}`,
    "--disable-extensions",
  ],
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
process.exit(code);
