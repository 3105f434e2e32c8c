import type { ActionId } from "../core/protocol.ts";

/** What stands on the buttons under a failed answer. */
export const actionLabels: Readonly<Record<ActionId, string>> = {
  retry: "Retry",
  setApiKey: "Set API Key",
  setAccessKey: "Set Access Key",
  setSessionToken: "Set Session Token",
  setStsToken: "Set STS Token",
  addProfile: "Add Profile",
  selectModel: "Select Model",
  startLocalGateway: "Start Local Gateway",
  openProfiles: "Open Profiles",
  openSettings: "Open Settings",
  refreshModels: "Refresh Models",
  showLog: "Show Log",
};
