import { t } from "@vscode/l10n";
import { readCloudActions } from "./serverAction.ts";
import type { CloudActions } from "./serverAction.ts";

/** The actions of the local gateway, which are the extension's own. */
export function localGatewayActions(): CloudActions {
  const path = (name: string): string => `/gpu/api/v1/servers/{id}/${name}`;
  return readCloudActions({
    actions: [
      {
        kind: "start",
        name: t("Start Server"),
        method: "POST",
        path: path("start"),
        appliesTo: ["Stopped"],
        doneWhen: ["Running"],
        billing: t("GPU billing begins."),
        capacity: t("The start can fail if no GPU is free."),
      },
      {
        kind: "stop",
        name: t("Stop Server"),
        method: "POST",
        path: path("stop"),
        appliesTo: ["Running"],
        doneWhen: ["Stopped"],
        billing: t("GPU billing ends; disks may still cost."),
        data: t("Files outside /workspace are deleted."),
        capacity: t("A later start can fail if no GPU is free."),
      },
      {
        kind: "reboot",
        name: t("Reboot Server"),
        method: "POST",
        path: path("reboot"),
        appliesTo: ["Running", "Error"],
        doneWhen: ["Running"],
        billing: t("Billing continues."),
        data: t("Files on disks are kept; what is in memory is lost."),
      },
    ],
  });
}
