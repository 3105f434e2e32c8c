import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./freePort.ts";
import { serverExecutables } from "./hostVersion.ts";
import type { HostVersion } from "./hostVersion.ts";
import { startProcessGroup } from "./processGroup.ts";
import type { ProcessGroup } from "./processGroup.ts";
import { registerExtensions } from "./registeredExtensions.ts";
import { writeUserSettings } from "./userSettings.ts";
import type { Settings } from "./userSettings.ts";

/**
 * `bare` is VS Code's own server, which can run extension tests. `whole` is the packaged product around it, which
 * installs extensions as a user would and stores secrets.
 */
export type ServerKind = "bare" | "whole";

export interface ServerOptions {
  readonly version?: HostVersion;
  readonly kind?: ServerKind;
  /** Contains user data and extensions. By default, a new folder that is deleted with the server. */
  readonly dataFolder?: string;
  /** The user settings; undefined keeps those in the data folder. */
  readonly settings?: Settings | undefined;
  /** The settings with `machine` scope, which a window connected to a server reads from the server's machine. */
  readonly machineSettings?: Settings;
  /** Folders that are treated as installed extensions; undefined keeps those in the data folder. */
  readonly extensions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Whether a folder opens in Restricted Mode until the user trusts it. Only for the `bare` server. */
  readonly hasWorkspaceTrust?: boolean;
}

/** How long a server may take to start, in milliseconds. */
const startLimitMs = 120_000;

/** A running VS Code server on loopback. */
export interface VscodeServer {
  /** Such as `http://127.0.0.1:1234`. */
  readonly baseUrl: string;
  readonly authority: string;
  readonly dataFolder: string;
  readonly kind: ServerKind;
  /** Everything printed so far. */
  output(): string;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts a VS Code server and waits until it responds. */
export async function startVscodeServer(options: ServerOptions = {}): Promise<VscodeServer> {
  const { version = "newest", kind = "bare" } = options;
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), "vscode-server-"));
  const { node, folder } = serverExecutables(version);
  // The bare server chooses its port itself: one that was free a moment ago may be taken by a test that runs beside.
  const wanted = options.port ?? (kind === "bare" ? 0 : await freePort());
  const layout = { kind, folder, dataFolder, port: wanted };
  if (options.settings !== undefined) writeUserSettings(settingsFile(layout), options.settings);
  if (options.machineSettings !== undefined)
    writeUserSettings(settingsFile(layout, "Machine"), options.machineSettings);
  if (options.extensions !== undefined)
    registerExtensions(join(dataFolder, "extensions"), options.extensions);
  const { hasWorkspaceTrust = false } = options;
  const group = startProcessGroup(node, serverArguments(layout, hasWorkspaceTrust), options.environment);
  const port = wanted === 0 ? await chosenPort(group) : wanted;
  const authority = `127.0.0.1:${port}`;
  await waitUntilUp(`http://${authority}/${kind === "bare" ? "version" : "healthz"}`, group);
  const { output, ended } = group;
  const stop = async (): Promise<void> => {
    await group.stop();
    if (options.dataFolder === undefined) rmSync(dataFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  return { baseUrl: `http://${authority}`, authority, dataFolder, kind, output, ended, stop };
}

interface Layout {
  readonly kind: ServerKind;
  /** The folder of the code-server package. */
  readonly folder: string;
  readonly dataFolder: string;
  readonly port: number;
}

function settingsFile({ kind, dataFolder }: Layout, owner: "User" | "Machine" = "User"): string {
  return join(dataFolder, kind === "bare" ? "data" : "", owner, "settings.json");
}

function serverArguments(
  { kind, folder, dataFolder, port }: Layout,
  hasWorkspaceTrust: boolean,
): readonly string[] {
  const extensions = join(dataFolder, "extensions");
  if (kind === "whole") {
    return [
      join(folder, "out", "node", "entry.js"),
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`],
      ...["--user-data-dir", dataFolder, "--extensions-dir", extensions],
      // A configuration file of the user would otherwise apply to anything not specified here.
      ...["--config", join(dataFolder, "config.yaml")],
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
    ...(hasWorkspaceTrust ? [] : ["--disable-workspace-trust"]),
    ...["--telemetry-level", "off"],
  ];
}

/** The port that the server prints once it listens. */
async function chosenPort(group: ProcessGroup): Promise<number> {
  const deadline = Date.now() + startLimitMs;
  const ended = group.ended.then(() => "ended" as const);
  while (Date.now() < deadline) {
    const port = /^Extension host agent listening on (\d+)/m.exec(group.output())?.[1];
    if (port !== undefined) return Number(port);
    if ((await Promise.race([ended, sleep(50, "waiting" as const)])) === "ended") break;
  }
  await group.stop();
  throw new Error(`The VS Code server printed no port.\n${group.output()}`);
}

async function waitUntilUp(url: string, group: ProcessGroup): Promise<void> {
  const deadline = Date.now() + startLimitMs;
  const ended = group.ended.then(() => "ended" as const);
  while (Date.now() < deadline) {
    const isUp = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    if ((await Promise.race([ended, sleep(100, "waiting" as const)])) === "ended") break;
  }
  await group.stop();
  throw new Error(`The VS Code server did not come up.\n${group.output()}`);
}
