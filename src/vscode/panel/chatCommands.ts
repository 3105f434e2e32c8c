import * as vscode from "vscode";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import type { CalledOn } from "../servers/chooseServer.ts";
import type { CommandName } from "../shell/commandIds.ts";
import type { ChatServices } from "./chatServices.ts";

/** The implementation of a command, with the arguments that VS Code passes. */
type ChatCommand = {
  run(chat: ChatServices, clicked?: unknown, selected?: unknown): Promise<unknown> | void;
}["run"];

/** The chat's commands. Unless they refer to a particular item, they apply to the active panel, or to a new one. */
const chatCommands: { readonly [N in CommandName<"chat">]: ChatCommand } = {
  newChat: ({ panels }) => panels.openNew(),
  selectModel: async (chat) => chat.models.pick(await chat.activeSession()),
  chatSettings: async ({ panels }) => (await panels.activeOrNew()).editSettings("temperature"),
  editSystemPrompt: async ({ panels }) => (await panels.activeOrNew()).editSettings("systemPrompt"),
  compareModels: async ({ panels }) => (await panels.activeOrNew()).compareModels(),
  summarizeAndContinue: async (chat) => chat.summarize(await chat.activeSession()),
  stop: (chat, clicked) => chat.stop(clicked),
  addSelectionToChat: (chat) => chat.attach(chat.tools.readSelection()),
  addFileToChat: (chat, ...chosen) => chat.attach(chat.tools.readFiles(...chosen)),
  attachServer: (chat, ...called: CalledOn) => chat.attach(chat.tools.readServer(called)),
  selectTools: async (chat) => chat.modelTools.select(await chat.activeSession()),
  manageToolPermissions: ({ modelTools }) => modelTools.managePermissions(),
  setResponseFormat: async (chat) => chat.structured.chooseFormat(await chat.activeSession()),
  useAsResponseFormat: ({ structured }) => structured.useDraft(),
  moveChat: ({ panels }, clicked) => panels.chooseAndMove(clicked),
  openLastResponse: ({ answers, panels }) => answers.showLast(panels.active?.session),
  async acceptProposal({ code, editor }, clicked) {
    if (!(await editor.edits.accept(clicked))) await code.proposals.accept(clicked);
  },
  async rejectProposal({ code, editor }, clicked) {
    if (!(await editor.edits.reject(clicked))) await code.proposals.reject(clicked);
  },
  inspectRequest: ({ inspector, panels }, clicked) =>
    inspector.show(panels.active?.session, messageIdOf(clicked)),
  copyRequest: ({ inspector, panels }, clicked) =>
    inspector.copy(panels.active?.session, messageIdOf(clicked)),
  editInline: ({ editor }, clicked) => editor.editInline(clicked),
  fixCode: ({ editor }, clicked) => editor.fix(clicked),
  explainCode: ({ editor }, clicked) => editor.explain(clicked),
  askAboutTerminalSelection: (chat) => chat.attach(chat.tools.readTerminalSelection()),
  generateCommitMessage: ({ editor }, clicked) => editor.generateCommitMessage(clicked),
  selectEditorModel: ({ editor }) => editor.selectModel(),
};

/** Closing a tab while it is being opened isn't an error that VS Code should report. */
export async function runCommand(
  name: CommandName<"chat">,
  ...given: Parameters<ChatCommand>
): Promise<void> {
  try {
    await chatCommands[name](...given);
  } catch (error) {
    if (!(error instanceof vscode.CancellationError)) throw error;
  }
}

/** The ID of the message on which the page's context menu was opened. */
function messageIdOf(argument: unknown): string | undefined {
  return isRecord(argument) ? stringField(argument, "messageId") : undefined;
}
