import { join } from "node:path";
import { ensureCached } from "./cached.mjs";
import { npm } from "./npm.mjs";
import { SetupError } from "./setupError.mjs";

/** The Node version for the tools, which runs TypeScript without a build step. */
export const toolNodeVersion = "24.21.0";
/** For the tests on Windows: the latest that Wine can run, and the one of the oldest supported VS Code. */
const windowsNodeVersion = "22.23.3";

/** The Node that runs our tools: the current one if suitable, otherwise one from npm. */
export async function ensureToolNode() {
  const [major] = process.versions.node.split(".").map(Number);
  return major >= 24 ? process.execPath : ensureNode(toolNodeVersion);
}

/**
 * Path of a Node executable with this version, from an npm package that contains only the binary: for this machine, or
 * for another system.
 */
export async function ensureNode(version, platform = process.platform) {
  const isWindows = platform === "win32";
  const name = `node-${isWindows ? "win" : platform}-${process.arch}`;
  const force = platform === process.platform ? [] : ["--force"];
  const folder = await ensureCached(`${name}-${version}`, (to) =>
    npm(["install", `${name}@${version}`, ...force], to).catch((error) => {
      throw new SetupError(`${error.message}\nInstalling Node ${version} yourself does as well.`);
    }),
  );
  return join(folder, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
}

/** The Node for Windows, which Wine runs elsewhere. */
export const ensureWindowsNode = () => ensureNode(windowsNodeVersion, "win32");
