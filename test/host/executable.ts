import { chmodSync, existsSync, writeFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { HostVersion } from "./vscodeServer.ts";

/** The desktop VS Code, where it can be had: an executable that is named or found, and a display to show it on. */
export function findDesktop(): string | undefined {
  const { VSCODE_EXECUTABLE, DISPLAY, WAYLAND_DISPLAY, PATH = "" } = process.env;
  if (VSCODE_EXECUTABLE) return VSCODE_EXECUTABLE;
  const hasDisplay = process.platform !== "linux" || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
  if (!hasDisplay) return undefined;
  const name = process.platform === "win32" ? "code.cmd" : "code";
  return PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}

/**
 * An executable that takes the desktop's arguments and runs them in the VS Code server (`standIn.ts`). It is a
 * script of its own because @vscode/test-electron starts one file without arguments of ours.
 */
export function writeStandIn(folder: string, version: HostVersion): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `stand-in-${version}.mjs`);
  const standIn = new URL("./standIn.ts", import.meta.url).href;
  writeFileSync(
    file,
    [
      `#!${process.execPath}`,
      `process.env.STAND_IN_VERSION = ${JSON.stringify(version)};`,
      `await import(${JSON.stringify(standIn)});`,
      "",
    ].join("\n"),
  );
  chmodSync(file, 0o755);
  return file;
}
