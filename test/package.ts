// Builds the extension and makes its .vsix: `npm run package [-- FILE]`.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { packageExtension } from "./package/packageExtension.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = resolve(process.argv[2] ?? `${root}inference-gateway.vsix`);

const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root, stdio: "inherit" });
if (built.status !== 0) process.exit(1);
const { file, bytes, diagramBytes, contents } = await packageExtension(root, target);
const [kB, diagramKB] = [bytes, diagramBytes].map((count) => Math.round(count / 1000));
process.stdout.write(`${file}: ${contents.length} files, ${kB} kB and ${diagramKB} kB for diagrams\n`);
