import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloadAndUnzipVSCode } from "@vscode/test-electron";
import type { HostVersion } from "./hostVersion.ts";

/** The oldest version of the desktop that `engines.vscode` allows. */
const oldestDesktop = "1.106.0";

/**
 * The VS Code in which the tests run: the desktop if available (installed, or downloaded if there is a display),
 * otherwise the VS Code server from npm behind a stand-in.
 */
export async function findVscode(outFolder: string, version: HostVersion): Promise<string> {
  const installed = process.env["VSCODE_EXECUTABLE"];
  if (version === "newest" && installed) return installed;
  if (!hasDisplay()) return writeStandIn(outFolder, version);
  try {
    return await downloadAndUnzipVSCode(version === "newest" ? "stable" : oldestDesktop);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`The desktop VS Code can't be downloaded (${reason}); the VS Code server is used.`);
    return writeStandIn(outFolder, version);
  }
}

function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== "linux" || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
}

/**
 * An executable that takes the desktop's arguments and runs them in the VS Code server (`standIn.ts`). It is a separate
 * script because @vscode/test-electron starts a single file without custom arguments.
 */
function writeStandIn(folder: string, version: HostVersion): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `stand-in-${version}.mjs`);
  const standIn = new URL("./standIn.ts", import.meta.url).href;
  const lines = [
    `#!${process.execPath}`,
    `process.env.STAND_IN_VERSION = ${JSON.stringify(version)};`,
    `await import(${JSON.stringify(standIn)});`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  chmodSync(file, 0o755);
  return file;
}
