import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type HostVersion = "newest" | "oldest";

export interface ServerOptions {
  readonly version?: HostVersion;
  /**
   * `bare` is VS Code's own server, the one that can run extension tests; `whole` is the packaged product, which
   * also keeps secrets.
   */
  readonly kind?: "bare" | "whole";
  /** Holds user data and extensions; a fresh one unless given. */
  readonly dataFolder?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly port?: number;
}

/** A running VS Code server on loopback. */
export interface VscodeServer {
  /** Such as `http://127.0.0.1:1234`. */
  readonly baseUrl: string;
  readonly authority: string;
  readonly dataFolder: string;
  readonly kind: "bare" | "whole";
  stop(): Promise<void>;
}

/** The executables that `test/setup.mjs` has installed. */
export function serverExecutables(version: HostVersion): { readonly node: string; readonly folder: string } {
  const name = `VSCODE_SERVER_${version.toUpperCase()}`;
  const { [name]: folder, [`${name}_NODE`]: node } = process.env;
  if (folder === undefined || node === undefined) {
    throw new Error(`${name} is not set: run this through npm, which sets up what it needs.`);
  }
  return { node, folder };
}

/** Starts a VS Code server and waits until it answers. Its process group ends with ours at the latest. */
export async function startVscodeServer(options: ServerOptions = {}): Promise<VscodeServer> {
  const { version = "newest", kind = "bare", settings = {}, environment = {} } = options;
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), "vscode-server-"));
  const port = options.port ?? (await freePort());
  const { node, folder } = serverExecutables(version);
  writeSettings(dataFolder, kind, settings);
  const child = spawn(node, serverArguments(folder, kind, port, dataFolder), {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...environment },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
  }
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It is gone already.
    }
  };
  const killAtExit = (): void => kill("SIGKILL");
  process.once("exit", killAtExit);
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitUntilUp(`${baseUrl}/${kind === "bare" ? "version" : "healthz"}`, output);
  return {
    baseUrl,
    authority: `127.0.0.1:${port}`,
    dataFolder,
    kind,
    async stop() {
      process.off("exit", killAtExit);
      kill("SIGTERM");
      await Promise.race([exited, sleep(3_000, undefined, { ref: false })]);
      kill("SIGKILL");
    },
  };
}

function serverArguments(
  folder: string,
  kind: "bare" | "whole",
  port: number,
  dataFolder: string,
): readonly string[] {
  const extensions = join(dataFolder, "extensions");
  mkdirSync(extensions, { recursive: true });
  if (kind === "whole") {
    return [
      join(folder, "out", "node", "entry.js"),
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`],
      ...["--user-data-dir", dataFolder, "--extensions-dir", extensions],
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-workspace-trust",
      "--disable-getting-started-override",
    ];
  }
  return [
    join(folder, "lib", "vscode", "out", "server-main.js"),
    ...["--host", "127.0.0.1", "--port", String(port)],
    ...["--server-data-dir", dataFolder, "--extensions-dir", extensions],
    "--without-connection-token",
    "--accept-server-license-terms",
    "--enable-smoke-test-driver",
    "--disable-workspace-trust",
    ...["--telemetry-level", "off"],
  ];
}

/** Settings must be there before the window: what is written into the file while it runs is not noticed. */
function writeSettings(
  dataFolder: string,
  kind: "bare" | "whole",
  settings: Readonly<Record<string, unknown>>,
): void {
  const file = join(dataFolder, kind === "bare" ? "data/User/settings.json" : "User/settings.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...quietSettings, ...settings }, undefined, 2));
}

const quietSettings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "chat.commandCenter.enabled": false,
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
};

async function waitUntilUp(url: string, output: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const isUp = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await sleep(100);
  }
  throw new Error(`The VS Code server did not come up within 60 s.\n${output.join("")}`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
