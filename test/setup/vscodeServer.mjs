import { join } from "node:path";
import { ensureCached } from "./cached.mjs";
import { ensureNode, toolNodeVersion } from "./node.mjs";
import { npm } from "./npm.mjs";

/** The hosts that we test on: the oldest that `engines.vscode` allows, and the newest. Each with the Node it ships. */
const hosts = {
  newest: { version: "4.139.1", node: toolNodeVersion },
  oldest: { version: "4.104.0", node: "22.23.3" },
};

/** A real VS Code (server, workbench, extension host) from npm, without a compiler and without any install script. */
export async function ensureVscodeServer(which) {
  const { version, node } = hosts[which];
  const folder = await ensureCached(`vscode-server-${version}`, async (to) => {
    await npm(["install", `code-server@${version}`], to);
    // The inner package's shrinkwrap is not in step with its package.json, which `npm ci` would refuse.
    await npm(["install", "--omit=dev"], join(to, "node_modules", "code-server", "lib", "vscode"));
  });
  return { folder: join(folder, "node_modules", "code-server"), node: await ensureNode(node) };
}
