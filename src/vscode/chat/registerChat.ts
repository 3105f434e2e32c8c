import * as vscode from "vscode";
import { commandIds } from "../commandIds.ts";
import { chatViewType } from "./chatViewType.ts";
import type { Chat, ChatContext } from "./chat.ts";

/** Registers the chat's commands and the return of its panels; what is behind them is loaded with the first use. */
export function registerChat(context: ChatContext): vscode.Disposable {
  let chat: Promise<Chat> | undefined;
  const load = (): Promise<Chat> =>
    (chat ??= import("./chat.ts").then(({ createChat }) => createChat(context)));
  const register = (id: string, run: (loaded: Chat) => Promise<void> | void): vscode.Disposable =>
    vscode.commands.registerCommand(id, async () => run(await load()));
  return vscode.Disposable.from(
    register(commandIds.newChat, (loaded) => loaded.openNew()),
    register(commandIds.openConversation, (loaded) => loaded.openStored()),
    register(commandIds.selectModel, (loaded) => loaded.selectModel()),
    register(commandIds.stop, (loaded) => loaded.stop()),
    register(commandIds.acceptProposal, ({ proposals }) => proposals.accept()),
    register(commandIds.rejectProposal, ({ proposals }) => proposals.reject()),
    register(commandIds.changeProposal, ({ proposals }) => proposals.change()),
    vscode.window.registerWebviewPanelSerializer(chatViewType, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await load()).restore(panel, state),
    }),
    { dispose: () => void chat?.then((loaded) => loaded.dispose()) },
  );
}
