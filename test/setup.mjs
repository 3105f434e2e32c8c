// Prepares a new machine for one of our commands and runs it. It needs only Node 20 and npm, and is quick once
// everything is installed. Everything under setup/ is plain JavaScript because it runs before anything is installed.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureChromium } from "./setup/chromium.mjs";
import { findDesktop } from "./setup/desktop.mjs";
import { findInPath } from "./setup/findInPath.mjs";
import { withLock } from "./setup/lock.mjs";
import { ensureToolNode, ensureWindowsNode } from "./setup/node.mjs";
import { ensureNodeModules } from "./setup/nodeModules.mjs";
import { cache, root } from "./setup/places.mjs";
import { SetupError } from "./setup/setupError.mjs";
import { ensureVscodeServer } from "./setup/vscodeServer.mjs";

/**
 * What a command may need in addition to node_modules and Node. Each provider returns the environment variables with
 * its location.
 */
const providers = {
  chromium: async () => ({ CHROMIUM: await ensureChromium() }),
  newest: () => serverEnvironment("newest"),
  oldest: () => serverEnvironment("oldest"),
  desktop: async () => desktopEnvironment(),
  alternatives: () => ensureNodeModules(join(root, "test/bench/alternatives")),
  windows: async () => ({ WINDOWS_NODE: await ensureWindowsNode(), WINE: findWine() ?? "" }),
  /** The server is only needed if there is no desktop. */
  window: async () => (findDesktop() === undefined ? serverEnvironment("newest") : desktopEnvironment()),
};

/** Sets up what the command needs, runs our TypeScript file with it, and exits with its exit code. */
export async function runTool(file, needs) {
  try {
    const { node, environment } = await withLock(() => setUp(needs));
    const args = ["--disable-warning=ExperimentalWarning", join(root, file), ...process.argv.slice(2)];
    process.exitCode = await runToEnd(node, args, environment);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}

/** All at the same time, because they mostly wait for the network. */
async function setUp(needs) {
  const [node, , ...parts] = await Promise.all([
    ensureToolNode(),
    ensureNodeModules(),
    ...needs.map((need) => providers[need]()),
  ]);
  const environment = Object.assign({ ...process.env, INFERENCE_GATEWAY_DEV_CACHE: cache }, ...parts);
  return { node, environment };
}

async function serverEnvironment(which) {
  const { folder, node } = await ensureVscodeServer(which);
  const name = `VSCODE_SERVER_${which.toUpperCase()}`;
  return { [name]: folder, [`${name}_NODE`]: node };
}

/** Debian's own command complains unless Wine for 32 bits is installed, too. */
function findWine() {
  const debian = "/usr/lib/wine/wine64";
  return existsSync(debian) ? debian : findInPath("wine64", "wine");
}

function desktopEnvironment() {
  const executable = findDesktop();
  return executable === undefined ? {} : { VSCODE_EXECUTABLE: executable };
}

/** Forwards our signals and exits with the program, so that no process is left running. */
function runToEnd(program, args, env) {
  const child = spawn(program, args, { stdio: "inherit", cwd: root, env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
