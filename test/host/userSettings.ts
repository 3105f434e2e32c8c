import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A window without anything that asks, offers, greets or phones home. */
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
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
};

export type Settings = Readonly<Record<string, unknown>>;

/** Writes a `settings.json`. Before the window opens: what changes in the file later is not noticed. */
export function writeUserSettings(file: string, settings: Settings): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...quietSettings, ...settings }, undefined, 2));
}
