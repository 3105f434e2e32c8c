// Runs the mocha suite inside a real extension host: `node test/host/runHostSuite.ts newest|oldest`.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTests } from "@vscode/test-electron";
import { buildSuite } from "./buildSuite.ts";
import { findDesktop, writeStandIn } from "./executable.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const version = process.argv[2] === "oldest" ? "oldest" : "newest";
const workspace = mkdtempSync(join(tmpdir(), "workspace-"));
const userData = mkdtempSync(join(tmpdir(), "user-data-"));
// The desktop that is installed is the newest we can have; the oldest comes from npm.
const desktop = version === "newest" ? findDesktop() : undefined;

const code = await runTests({
  vscodeExecutablePath: desktop ?? writeStandIn(join(root, "out", "host"), version),
  extensionDevelopmentPath: root,
  extensionTestsPath: await buildSuite(root),
  launchArgs: [workspace, "--user-data-dir", userData],
}).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
process.exit(code);
