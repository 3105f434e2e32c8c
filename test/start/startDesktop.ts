import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeUserSettings } from "../host/userSettings.ts";
import { startSettings } from "./startSettings.ts";

/** The arguments for opening the desktop VS Code. */
export interface DesktopWindow {
  readonly executable: string;
  readonly extensions: readonly string[];
  readonly workspace: string;
  /** Contains a separate profile, so that the user's own VS Code isn't affected. */
  readonly dataFolder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Opens the window and resolves once it has been closed. */
export function startDesktop({
  executable,
  extensions,
  workspace,
  dataFolder,
  environment,
}: DesktopWindow): Promise<number> {
  const userData = join(dataFolder, "desktop");
  const settings = join(userData, "User", "settings.json");
  if (!existsSync(settings)) writeUserSettings(settings, startSettings);
  const args = [
    workspace,
    ...extensions.map((folder) => `--extensionDevelopmentPath=${folder}`),
    `--user-data-dir=${userData}`,
    `--extensions-dir=${join(dataFolder, "desktop-extensions")}`,
    "--disable-workspace-trust",
    "--skip-release-notes",
    // Electron doesn't support its sandbox for root.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ];
  process.stdout.write(`Opening VS Code (${executable}). Close its window to end.\n`);
  const child = spawn(executable, args, {
    stdio: "ignore",
    shell: process.platform === "win32",
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 0));
  });
}
