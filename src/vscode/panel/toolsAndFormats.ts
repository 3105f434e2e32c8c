import * as vscode from "vscode";
import { logFailure } from "../../core/kernel/failureMessage.ts";
import type { Log } from "../../core/kernel/log.ts";
import { ThreadValidator } from "../../workers/responses/threadValidator.ts";
import { PermissionFile } from "../../storage/files/permissionFile.ts";
import type { ChatPanel } from "./chatPanel.ts";
import { StructuredOutput } from "../responses/structured/structuredOutput.ts";
import { ChatTools } from "../responses/tools/chatTools.ts";
import type { ShownConversations } from "../responses/tools/waitingCalls.ts";

/** Where earlier versions kept what tools may do; it holds until the permissions change. */
const oldPermissionsKey = "inferenceGateway.tools.allowed";

export interface ToolsAndFormatsContext {
  readonly extensionUri: vscode.Uri;
  readonly globalState: vscode.Memento;
  readonly storageUri: vscode.Uri;
  readonly log: Log;
  /** The active panel, or a new one. */
  panel(): Promise<ChatPanel>;
  shown(): ShownConversations;
}

/** The commands of the palette for tools and for the format of responses; each is about the active conversation. */
export interface ToolAndFormatCommands {
  selectTools(): Promise<void>;
  manageToolPermissions(): Promise<void>;
  resetToolConfirmations(): Promise<void>;
  setResponseFormat(): Promise<void>;
  /** Takes the schema in the active editor. */
  useAsResponseFormat(): Promise<void>;
  openResponseSchema(): Promise<void>;
  removeResponseFormat(): Promise<void>;
}

/** What a conversation's model may call and how its responses must look; both are checked by one validator. */
export class ToolsAndFormats implements vscode.Disposable {
  readonly tools: ChatTools;
  readonly structured: StructuredOutput;
  readonly commands: ToolAndFormatCommands;
  readonly #validator: ThreadValidator;

  constructor({ extensionUri, globalState, storageUri, log, panel, shown }: ToolsAndFormatsContext) {
    const thread = vscode.Uri.joinPath(extensionUri, "dist", "validatorThread.js").fsPath;
    this.#validator = new ThreadValidator({ thread });
    const tools = new ChatTools({
      permissions: new PermissionFile(storageUri.fsPath, () => globalState.get<unknown>(oldPermissionsKey)),
      validator: this.#validator,
      shown,
      reportError: (error) => logFailure(log, error),
    });
    const structured = new StructuredOutput(this.#validator, async () => (await panel()).session);
    this.tools = tools;
    this.structured = structured;
    this.commands = {
      selectTools: async () => tools.select((await panel()).session),
      manageToolPermissions: () => tools.managePermissions(),
      resetToolConfirmations: () => tools.resetConfirmations(),
      setResponseFormat: async () => structured.chooseFormat((await panel()).session),
      useAsResponseFormat: () => structured.useDraft(),
      openResponseSchema: async () => structured.openSchema((await panel()).session),
      removeResponseFormat: async () => structured.removeFormat((await panel()).session),
    };
  }

  dispose(): void {
    this.structured.dispose();
    this.tools.dispose();
    this.#validator.dispose();
  }
}
