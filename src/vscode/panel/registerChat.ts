import * as vscode from "vscode";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { registerEach } from "../shell/registerCommands.ts";
import { chatViewId, chatViewTypes } from "./chatViewType.ts";
import type { ChatContext, ChatServices } from "./chatServices.ts";
import { registerHistory } from "../library/registerHistory.ts";

/** Milliseconds in which every window has noticed what it would show a notice about. */
const noticeMs = 360_000;

/** What the rest of the extension needs from the chat. */
interface RegisteredChat extends vscode.Disposable {
  /** Opens a new chat with this in its composer. */
  openWith(composition: Composition): Promise<void>;
  /** The stored conversations, opened at the first call. */
  conversations(): Promise<ConversationStore>;
  /** Whether this window is the one to show a notice that all windows have a reason to show. */
  claimNotice(text: string): Promise<boolean>;
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
    // Showing it twice is better than not at all.
    claimNotice: async (text) =>
      (await (await load()).sessions.store())
        .claim("notice", text, noticeMs)
        .then((claim) => claim !== "taken"),
    lastMessage: async () =>
      (await chat)?.panels.active?.session.state.messages.findLast(
        ({ role, text }) => role === "user" && text !== "",
      )?.text,
    dispose: () => registered.dispose(),
  };
}
