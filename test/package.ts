// Makes the .vsix and makes sure that it carries only what runs.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PackageManager, createVSIX, listFiles } from "@vscode/vsce";

const root = fileURLToPath(new URL("..", import.meta.url));
const largest = 1_000_000;
const unwanted = /(^|\/)(src|test|node_modules|\.[^/]+)\/|\.(ts|map)$/;

const target = process.argv[2] ?? `${root}inference-gateway.vsix`;
const built = spawnSync("npm", ["run", "--silent", "build"], {
  cwd: root,
  stdio: "inherit",
  shell: process.platform === "win32",
});
if (built.status !== 0) process.exit(1);

const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
const wrong = files.filter((file) => unwanted.test(file));
if (wrong.length > 0) throw new Error(`The package must not carry ${wrong.join(", ")}.`);
await createVSIX({
  cwd: root,
  packagePath: target,
  dependencies: false,
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});
const { size } = statSync(target);
if (size > largest) throw new Error(`The package has ${size} bytes; ${largest} are allowed.`);
console.log(`${target}: ${files.length} files, ${(size / 1000).toFixed(0)} kB`);
