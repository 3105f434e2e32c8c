import type { Host } from "../kit/host.ts";
import type { SettingsDialog } from "./settingsDialog.ts";

/** What the settings bundle brings. */
export type CreateSettingsDialog = (host: Host) => SettingsDialog;

/** The settings bundle hands its function over in an event of this name, as `detail`. */
export const settingsDialogEvent = "inference-gateway-settings-dialog";

declare global {
  interface DocumentEventMap {
    readonly [settingsDialogEvent]: CustomEvent<CreateSettingsDialog>;
  }
}
