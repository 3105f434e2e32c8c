import { t } from "@vscode/l10n";
import type { ActionId } from "../../core/panel/protocol.ts";

/** What stands on the buttons under a failed answer. */
export const actionLabels: Readonly<Record<ActionId, string>> = {
  retry: t("Retry"),
  setApiKey: t("Set API Key"),
  setAccessKey: t("Set Access Key"),
  setSessionToken: t("Set Session Token"),
  setStsToken: t("Set STS Token"),
  addProfile: t("Add Profile"),
  selectModel: t("Select Model"),
  editChatSettings: t("Chat Settings"),
  editSystemPrompt: t("Edit System Prompt"),
  startLocalGateway: t("Start Local Gateway"),
  openProfiles: t("Open Profiles"),
  openSettings: t("Open Settings"),
  refreshModels: t("Refresh Models"),
  selectTools: t("Select Tools"),
  setResponseFormat: t("Set Response Format"),
  openResponseSchema: t("Open JSON Schema"),
  removeResponseFormat: t("Remove Response Format"),
  showUsage: t("Show Usage of All Answers"),
  showLog: t("Show Log"),
};
