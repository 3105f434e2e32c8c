import { join } from "node:path";
import { ensureCached } from "./cached.mjs";
import { npm } from "./npm.mjs";
import { SetupError } from "./setupError.mjs";

/** The Node version for the tools, which runs TypeScript without a build step. */
export const toolNodeVersion = "24.21.0";

/** The Node that runs our tools: the current one if suitable, otherwise one from npm. */
export async function ensureToolNode() {
  const [major] = process.versions.node.split(".").map(Number);
  return major >= 24 ? process.execPath : ensureNode(toolNodeVersion);
}

/** Path of a Node executable with this version, from an npm package that contains only the binary. */
export async function ensureNode(version) {
  const isWindows = process.platform === "win32";
  const name = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
  const folder = await ensureCached(`${name}-${version}`, (to) =>
    npm(["install", `${name}@${version}`], to).catch((error) => {
      throw new SetupError(`${error.message}\nInstalling Node ${version} yourself does as well.`);
    }),
  );
  return join(folder, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
}
