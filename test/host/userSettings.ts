import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Settings for a window without prompts, offers, welcome pages or telemetry. */
const quietSettings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.enableExperiments": false,
  "chat.commandCenter.enabled": false,
  "chat.disableAIFeatures": true,
  "extensions.ignoreRecommendations": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  // As on the desktop. In a browser, whatever a test leaves unsaved would be saved after a second.
  "files.autoSave": "off",
  // Another test's server on this machine would be announced in a notification.
  "remote.autoForwardPorts": false,
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
};

export type Settings = Readonly<Record<string, unknown>>;

/** Writes a `settings.json`. Call it before the window opens, because later changes to the file aren't noticed. */
export function writeUserSettings(file: string, settings: Settings): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...quietSettings, ...settings }, undefined, 2));
}
