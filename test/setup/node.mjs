import { join } from "node:path";
import { ensureCached } from "./cached.mjs";
import { npm } from "./npm.mjs";
import { SetupError } from "./setupError.mjs";

/** Node of the tools: it runs TypeScript without a build step. */
export const toolNodeVersion = "24.21.0";

/** The Node that runs our tools: this one where it can, else one from npm. */
export async function ensureToolNode() {
  const [major] = process.versions.node.split(".").map(Number);
  return major >= 24 ? process.execPath : ensureNode(toolNodeVersion);
}

/** Path of a Node executable of this version: a package of npm with nothing but the binary in it. */
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
