import * as vscode from "vscode";
import type { ModelCatalog } from "../../core/conversation/modelCatalog.ts";
import type { ActionId } from "../../core/panel/protocol.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { ToolAndFormatCommands } from "./toolsAndFormats.ts";
import { showProfileSettings } from "../account/profiles/profiles.ts";

type HostAction = Exclude<ActionId, "retry">;

/** The actions that a page may ask for: most run what the palette offers too. */
export function createActionRunner(
  catalog: ModelCatalog,
  others: ToolAndFormatCommands,
): (action: HostAction) => void {
  const run = (command: string, ...args: readonly unknown[]): void =>
    void vscode.commands.executeCommand(command, ...args);
  const actions: Readonly<Record<HostAction, () => void>> = {
    setApiKey: () => run(commandIds.setApiKey),
    setAccessKey: () => run(commandIds.setAccessKey),
    setSessionToken: () => run(commandIds.setSessionToken),
    setStsToken: () => run(commandIds.setStsToken),
    addProfile: () => run(commandIds.addProfile),
    selectModel: () => run(commandIds.selectModel),
    editChatSettings: () => run(commandIds.chatSettings),
    editSystemPrompt: () => run(commandIds.editSystemPrompt),
    selectTools: () => run(commandIds.selectTools),
    setResponseFormat: () => run(commandIds.setResponseFormat),
    openResponseSchema: () => void others.openResponseSchema(),
    removeResponseFormat: () => void others.removeResponseFormat(),
    startLocalGateway: () => run(commandIds.startLocalGateway),
    openProfiles: () => void showProfileSettings(),
    openSettings: () =>
      run("workbench.action.openSettings", "@id:http.proxy,http.proxyStrictSSL,http.systemCertificates"),
    refreshModels: () => void catalog.refresh(),
    showUsage: () => run(commandIds.showUsage),
    showLog: () => run(commandIds.showLog),
  };
  return (action) => actions[action]();
}
