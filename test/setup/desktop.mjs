// The desktop VS Code, where it can be had: an installed one, and a display to show it on.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findInPath } from "./findInPath.mjs";

export function hasDisplay() {
  return process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Path of the desktop's own executable: `VSCODE_EXECUTABLE`, or the one behind the command `code`. */
export function findDesktop() {
  if (process.env.VSCODE_EXECUTABLE) return process.env.VSCODE_EXECUTABLE;
  const command = findInPath(process.platform === "win32" ? "code.cmd" : "code");
  if (command === undefined || !hasDisplay()) return undefined;
  // `code` is a script that starts the executable and does not wait for it; tests need the one that ends with them.
  const bin = dirname(realpathSync(command));
  return [
    join(bin, "..", "code"),
    join(bin, "..", "Code.exe"),
    join(bin, "..", "..", "..", "MacOS", "Code"),
    join(bin, "..", "..", "..", "MacOS", "Electron"),
  ].find((file) => existsSync(file));
}
