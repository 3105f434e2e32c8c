import * as vscode from "vscode";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { Row } from "../../core/servers/tree/rows.ts";
import type { ServerMenuContext } from "../servers/serversView.ts";
import { commandIds } from "../shell/commandIds.ts";
import { chatViewId, chatViewTypes } from "./chatViewType.ts";
import type { Chat } from "./chat.ts";
import type { ChatContext } from "./chatServices.ts";
import { chosenUris } from "../compose/context/attachFiles.ts";
import { registerHistory } from "../library/registerHistory.ts";

/** Registers the chat's commands and the return of its panels; what is behind them is loaded with the first use. */
export function registerChat(context: ChatContext): vscode.Disposable {
  let chat: Promise<Chat> | undefined;
  const load = (): Promise<Chat> =>
    (chat ??= import("./chat.ts").then(({ createChat }) => createChat(context)));
  const register = (id: string, run: (loaded: Chat, argument: unknown) => Promise<void> | void) =>
    vscode.commands.registerCommand(id, async (argument: unknown) => run(await load(), argument));
  return vscode.Disposable.from(
    register(commandIds.newChat, (loaded) => loaded.openNew()),
    register(commandIds.selectModel, (loaded) => loaded.selectModel()),
    register(commandIds.chatSettings, (loaded) => loaded.editSettings("temperature")),
    register(commandIds.editSystemPrompt, (loaded) => loaded.editSettings("systemPrompt")),
    register(commandIds.addSelectionToChat, (loaded) => loaded.addSelection()),
    vscode.commands.registerCommand(commandIds.addFileToChat, async (clicked: unknown, selected: unknown) =>
      (await load()).addFiles(chosenUris(clicked, selected)),
    ),
    vscode.commands.registerCommand(commandIds.attachServer, async (called?: Row | ServerMenuContext) =>
      (await load()).attachServer(called),
    ),
    register(commandIds.showUsage, (loaded) => loaded.showUsage()),
    register(commandIds.selectTools, ({ toolsAndFormats }) => toolsAndFormats.selectTools()),
    register(commandIds.manageToolPermissions, ({ toolsAndFormats }) =>
      toolsAndFormats.manageToolPermissions(),
    ),
    register(commandIds.resetToolConfirmations, ({ toolsAndFormats }) =>
      toolsAndFormats.resetToolConfirmations(),
    ),
    register(commandIds.setResponseFormat, ({ toolsAndFormats }) => toolsAndFormats.setResponseFormat()),
    register(commandIds.useAsResponseFormat, ({ toolsAndFormats }) => toolsAndFormats.useAsResponseFormat()),
    register(commandIds.stop, (loaded) => loaded.stop()),
    register(commandIds.openInEditor, ({ panels }) => panels.move("editor")),
    register(commandIds.openToSide, ({ panels }) => panels.move("side")),
    register(commandIds.openInNewWindow, ({ panels }) => panels.move("window")),
    register(commandIds.openInSideBar, ({ panels }) => panels.move("sideBar")),
    register(commandIds.openLastResponse, (loaded) => loaded.openLastResponse()),
    register(commandIds.acceptProposal, ({ proposals }) => proposals.accept()),
    register(commandIds.rejectProposal, ({ proposals }) => proposals.reject()),
    register(commandIds.changeProposal, ({ proposals }) => proposals.change()),
    register(commandIds.compareModels, (loaded) => loaded.compareModels()),
    register(commandIds.inspectRequest, (loaded, location) => loaded.inspectRequest(messageIdOf(location))),
    register(commandIds.copyRequestAsCurl, (loaded, location) =>
      loaded.copyRequest("curl", messageIdOf(location)),
    ),
    register(commandIds.copyRequestAsPython, (loaded, location) =>
      loaded.copyRequest("python", messageIdOf(location)),
    ),
    register(commandIds.copyRequestAsJavaScript, (loaded, location) =>
      loaded.copyRequest("javascript", messageIdOf(location)),
    ),
    ...chatViewTypes.map((viewType) =>
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: async (panel, state: unknown) => (await load()).panels.restore(panel, state),
      }),
    ),
    vscode.window.registerWebviewViewProvider(chatViewId, {
      resolveWebviewView: async (view, { state }) => (await load()).panels.resolveView(view, state),
    }),
    registerHistory(async () => (await load()).history),
    { dispose: () => void chat?.then((loaded) => loaded.dispose()) },
  );
}

/** The id of the message on which the page's context menu was opened. */
function messageIdOf(argument: unknown): string | undefined {
  return isRecord(argument) ? stringField(argument, "messageId") : undefined;
}
