// Makes a fresh machine ready: needs nothing but Node 20, npm and what this file installs. Quick when all is there.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "inference-gateway-dev");

/** The hosts that we test on: the oldest that `engines.vscode` allows, and the newest. Node as each ships it. */
const vscodeServers = {
  newest: { version: "4.139.1", node: "24.21.0" },
  oldest: { version: "4.104.0", node: "22.23.3" },
};

/** A sentence for the person at the keyboard; no stack. */
class SetupError extends Error {}

function step(name, run) {
  const start = Date.now();
  process.stderr.write(`${name} … `);
  const result = run();
  process.stderr.write(`${((Date.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}

function npm(args, cwd) {
  const result = spawnSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (result.status !== 0) {
    throw new SetupError(`npm ${args[0]} failed. Is the npm registry reachable?\n${result.stderr ?? ""}`);
  }
}

/** Installs node_modules when the lock file has changed since the last time. */
export function ensureNodeModules() {
  const stamp = join(root, "node_modules", ".installed-lock");
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  step("Installing node_modules", () => npm(["ci", "--ignore-scripts"], root));
  writeFileSync(stamp, lock);
}

/** Runs `install` in a folder of the cache, once; a half-finished installation is never taken for a whole one. */
function ensureCached(name, install) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const temporary = join(cache, `.${name}-${process.pid}`);
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  writeFileSync(join(temporary, "package.json"), '{"name":"inference-gateway-dev","private":true}\n');
  step(`Installing ${name}`, () => install(temporary));
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another set-up was quicker: its result is as good as ours.
    if (!existsSync(folder)) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Path of a Node executable of this version, from npm. */
function ensureNode(version) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = ensureCached(`${name}-${version}`, (to) =>
    npm(["install", "--ignore-scripts", `${name}@${version}`], to),
  );
  const binary = process.platform === "win32" ? "node.exe" : "node";
  return join(folder, "node_modules", name, "bin", binary);
}

/** The Node that runs our tools: TypeScript without a build step needs 24. */
export function ensureToolNode() {
  const [major = 0] = process.versions.node.split(".").map(Number);
  return major >= 24 ? process.execPath : ensureNode(vscodeServers.newest.node);
}

/** A real VS Code (server, workbench, extension host) from npm, without running any install script. */
export function ensureVscodeServer(which) {
  const { version, node } = vscodeServers[which];
  const folder = ensureCached(`vscode-server-${version}`, (to) => {
    npm(["install", "--ignore-scripts", `code-server@${version}`], to);
    npm(
      ["install", "--omit=dev", "--ignore-scripts"],
      join(to, "node_modules", "code-server", "lib", "vscode"),
    );
  });
  return { codeServer: join(folder, "node_modules", "code-server"), node: ensureNode(node) };
}

/** Chromium or Chrome on this machine; installed from Debian's packages where we may. */
export function ensureChromium() {
  const found = findChromium();
  if (found !== undefined) return found;
  if (process.platform === "linux" && process.getuid?.() === 0 && findInPath(["apt-get"]) !== undefined) {
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    step("Installing Chromium", () => {
      spawnSync("apt-get", ["update", "-qq"], { env: environment });
      spawnSync("apt-get", ["install", "-y", "-qq", "chromium", "fonts-dejavu-core"], { env: environment });
    });
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  throw new SetupError(
    "Chromium is missing. Install it (Debian: `sudo apt-get install chromium`) or set CHROMIUM to the path of Chromium or Chrome.",
  );
}

function findChromium() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return CHROMIUM;
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return (
    findInPath(["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) ??
    (existsSync(mac) ? mac : undefined)
  );
}

function findInPath(names) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) if (folder !== "" && existsSync(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/**
 * Sets up what the command needs and runs a TypeScript file of ours with what was found in its environment.
 * `needs` names any of: chromium, newest, oldest.
 */
export function runTool(file, needs) {
  try {
    ensureNodeModules();
    const node = ensureToolNode();
    const environment = { ...process.env };
    if (needs.includes("chromium")) environment.CHROMIUM = ensureChromium();
    for (const which of ["newest", "oldest"]) {
      if (!needs.includes(which)) continue;
      const { codeServer, node: serverNode } = ensureVscodeServer(which);
      environment[`VSCODE_SERVER_${which.toUpperCase()}`] = codeServer;
      environment[`VSCODE_SERVER_${which.toUpperCase()}_NODE`] = serverNode;
    }
    execFileSync(node, [join(root, file), ...process.argv.slice(2)], {
      stdio: "inherit",
      cwd: root,
      env: environment,
    });
  } catch (error) {
    if (error instanceof SetupError) process.stderr.write(`\n${error.message}\n`);
    else if (typeof error?.status !== "number") throw error;
    process.exitCode = error?.status || 1;
  }
}
