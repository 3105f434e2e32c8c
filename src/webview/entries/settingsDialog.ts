// A bundle of the page: loaded when the settings of a conversation are opened for the first time.
import "../kit/translations.ts";
import { SettingsDialog } from "../settings/settingsDialog.ts";
import { settingsDialogEvent } from "../settings/settingsDialogBundle.ts";
import type { CreateSettingsDialog } from "../settings/settingsDialogBundle.ts";

const createDialog: CreateSettingsDialog = (host) => new SettingsDialog(host);

document.dispatchEvent(new CustomEvent(settingsDialogEvent, { detail: createDialog }));
