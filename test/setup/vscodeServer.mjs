import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureCached } from "./cached.mjs";
import { ensureNode, toolNodeVersion } from "./node.mjs";
import { npm } from "./npm.mjs";

/**
 * The hosts used for testing: the oldest that `engines.vscode` allows, and the newest. Each with the Node version that
 * it ships.
 */
const hosts = {
  newest: { version: "4.139.1", node: toolNodeVersion },
  oldest: { version: "4.106.3", node: "22.23.3" },
};

/** A real VS Code (server, workbench, extension host) from npm, without a compiler or any install scripts. */
export async function ensureVscodeServer(which) {
  const { version, node } = hosts[which];
  const folder = await ensureCached(`vscode-server-${version}`, async (to) => {
    await npm(["install", `code-server@${version}`], to);
    const inner = join(to, "node_modules", "code-server", "lib", "vscode");
    takeReleases(inner);
    // The inner package's shrinkwrap doesn't match its package.json, so `npm ci` would fail.
    await npm(["install", "--omit=dev"], inner);
  });
  return { folder: join(folder, "node_modules", "code-server"), node: await ensureNode(node) };
}

/**
 * Uses the registry for dependencies that come from a Git repository (the file watcher of 4.106): the same version, but
 * compiled, and without requiring Git or another host.
 */
function takeReleases(folder) {
  const files = ["package.json", "npm-shrinkwrap.json"].map((name) => join(folder, name));
  const [manifest, shrinkwrap] = files.map((file) => JSON.parse(readFileSync(file, "utf8")));
  for (const [name, range] of Object.entries(manifest.dependencies)) {
    if (!range.includes("/")) continue;
    const path = `node_modules/${name}`;
    const { version } = shrinkwrap.packages[path];
    manifest.dependencies[name] = version;
    shrinkwrap.packages[""].dependencies[name] = version;
    delete shrinkwrap.packages[path];
  }
  writeFileSync(files[0], JSON.stringify(manifest));
  writeFileSync(files[1], JSON.stringify(shrinkwrap));
}
