// The desktop VS Code, if available: an installed one, and a display to show it on.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findInPath } from "./findInPath.mjs";

export function hasDisplay() {
  return process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Path of the desktop's actual executable: `VSCODE_EXECUTABLE`, or the one that the command `code` starts. */
export function findDesktop() {
  if (process.env.VSCODE_EXECUTABLE) return process.env.VSCODE_EXECUTABLE;
  const command = findInPath(process.platform === "win32" ? "code.cmd" : "code");
  if (command === undefined || !hasDisplay()) return undefined;
  // `code` is a script that starts the executable without waiting for it. Tests need the process that exits when they
  // do.
  const bin = dirname(realpathSync(command));
  return [
    join(bin, "..", "code"),
    join(bin, "..", "Code.exe"),
    join(bin, "..", "..", "..", "MacOS", "Code"),
    join(bin, "..", "..", "..", "MacOS", "Electron"),
  ].find((file) => existsSync(file));
}
