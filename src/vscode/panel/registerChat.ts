import * as vscode from "vscode";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import type { ConversationArchive } from "../../core/conversation/conversationStore.ts";
import { registerEach } from "../shell/registerCommands.ts";
import { chatViewId, chatViewTypes } from "./chatViewType.ts";
import type { ChatContext, ChatServices } from "./chatServices.ts";
import { registerHistory } from "../library/registerHistory.ts";

/** What the rest of the extension needs from the chat. */
interface RegisteredChat extends vscode.Disposable {
  /** Opens a new chat with this in its composer. */
  openWith(composition: Composition): Promise<void>;
  /** The stored conversations, opened at the first call. */
  conversations(): Promise<ConversationArchive>;
  /** The last message of the user in the active chat. */
  lastMessage(): Promise<string | undefined>;
}

/** Registers the chat's commands and the restoration of its panels. The implementation is loaded at the first use. */
export function registerChat(context: Omit<ChatContext, "showBadge">): RegisteredChat {
  const badge = new vscode.EventEmitter<vscode.ViewBadge | undefined>();
  let chat: Promise<ChatServices> | undefined;
  const load = (): Promise<ChatServices> =>
    (chat ??= import("./chatServices.ts").then(
      ({ ChatServices }) => new ChatServices({ ...context, showBadge: (shown) => badge.fire(shown) }),
    ));
  const registered = vscode.Disposable.from(
    registerEach("chat", (name) => async (clicked, selected) => {
      const [services, { runCommand }] = await Promise.all([load(), import("./chatCommands.ts")]);
      // The result isn't returned to the caller of the command.
      await runCommand(name, services, clicked, selected);
    }),
    ...chatViewTypes.map((viewType) =>
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: async (panel, state: unknown) => (await load()).panels.restore(panel, state),
      }),
    ),
    vscode.window.registerWebviewViewProvider(chatViewId, {
      resolveWebviewView: async (view, { state }) => (await load()).panels.resolveView(view, state),
    }),
    badge,
    registerHistory(async () => (await load()).history, badge.event, context.storageUri),
    { dispose: () => void chat?.then((loaded) => loaded.dispose()) },
  );
  return {
    openWith: async (composition) => (await (await load()).panels.openNew()).compose(composition),
    conversations: async () => (await load()).sessions.store(),
    lastMessage: async () =>
      (await chat)?.panels.active?.session.state.messages.findLast(
        ({ role, text }) => role === "user" && text !== "",
      )?.text,
    dispose: () => registered.dispose(),
  };
}
