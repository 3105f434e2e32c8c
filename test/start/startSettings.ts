import type { Settings } from "../host/userSettings.ts";

/** Settings of the window that `npm start` opens: the local gateway starts with the extension. */
export const startSettings: Settings = {
  "inferenceGateway.localGateway.startAutomatically": true,
  "workbench.colorTheme": "Dark Modern",
};
