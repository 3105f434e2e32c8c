import * as vscode from "vscode";
import type { NoticeAction } from "../../../core/servers/table/tableNotices.ts";
import { commandIds } from "../../shell/commandIds.ts";
import type { FleetView } from "../fleetView.ts";

const commands: Readonly<
  Record<Exclude<NoticeAction, "refresh" | "clearFilter" | "useHttp" | "useHttps">, string>
> = {
  addProfile: commandIds.addProfile,
  startLocalGateway: commandIds.startLocalGateway,
  apiKey: commandIds.setApiKey,
  accessKey: commandIds.setAccessKey,
  sessionToken: commandIds.setSessionToken,
  stsToken: commandIds.setStsToken,
  openProfiles: "workbench.action.openSettings",
  diagnose: commandIds.diagnoseConnection,
};

/** Does what the button of a notice says, for the profile that it tells of. */
export async function mend(
  fleet: FleetView,
  action: Exclude<NoticeAction, "clearFilter">,
  profileName: string,
): Promise<void> {
  if (action === "refresh") return fleet.refresh(profileName);
  if (action === "useHttp" || action === "useHttps") {
    const { switchScheme } = await import("../../account/profiles/switchScheme.ts");
    const scheme = action === "useHttp" ? "http" : "https";
    return switchScheme(fleet.context.profiles, profileName, "gatewayUrl", scheme);
  }
  const argument = action === "openProfiles" ? "inferenceGateway.profiles" : profileName;
  await vscode.commands.executeCommand(commands[action], argument === "" ? undefined : argument);
}
