// Opens the real VS Code with the extension, the local gateway and an example workspace. With `--check`, it opens a new
// one in a headless browser, makes sure that the chat responds and servers are listed, and exits. With `--built`, it
// uses the existing dist/.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkWindow } from "./start/checkWindow.ts";
import { DemoMachine } from "./start/demoMachine.ts";
import { createExampleWorkspace } from "./start/exampleWorkspace.ts";
import { startDesktop } from "./start/startDesktop.ts";
import { startInBrowser } from "./start/startInBrowser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const extensions = [root, fileURLToPath(new URL("./start/opener", import.meta.url))];
const isCheck = process.argv.includes("--check");

if (!process.argv.includes("--built")) build();
const executable = process.env["VSCODE_EXECUTABLE"];
const dataFolder = isCheck ? mkdtempSync(join(tmpdir(), "start-check-")) : ownDataFolder();
const workspace = createExampleWorkspace(dataFolder);
const machine = await DemoMachine.open();
const environment = machine?.environment ?? {};
if (isCheck) await check();
else if (executable)
  process.exit(await startDesktop({ executable, extensions, workspace, dataFolder, environment }));
else await serve();

function build(): void {
  const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) process.exit(1);
}

async function serve(): Promise<void> {
  const server = await startInBrowser(extensions, dataFolder, environment);
  process.stdout.write(`
VS Code with Inference Gateway in it runs at

  ${server.baseUrl}/?folder=${encodeURIComponent(workspace).replaceAll("%2F", "/")}

Open it in a browser on this machine: the servers are listed and a chat with the local gateway is open.
Ctrl+C ends it. Its settings and conversations are in ${dataFolder}: delete the folder to start over.

`);
  await server.ended;
  process.stderr.write(`The VS Code server has ended.\n${server.output()}`);
  process.exitCode = 1;
}

async function check(): Promise<void> {
  const server = await startInBrowser(extensions, dataFolder, environment);
  try {
    await checkWindow(server, workspace);
    process.stdout.write("The window is as the README says: servers are listed and the chat answers.\n");
  } finally {
    await server.stop();
    // Its SSH server would keep this process alive.
    await machine?.lab.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Each clone of the repository has its own windows, settings and conversations. */
function ownDataFolder(): string {
  const cache = process.env["INFERENCE_GATEWAY_DEV_CACHE"] ?? join(tmpdir(), "inference-gateway-dev");
  const folder = join(cache, `start-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}
