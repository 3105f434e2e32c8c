import * as vscode from "vscode";
import { logFailure } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import { ThreadValidator } from "../../processes/responses/threadValidator.ts";
import { PermissionTable } from "../../storage/records/permissionTable.ts";
import type { Records } from "../../storage/records/recordsFile.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import { StructuredOutput } from "../responses/structured/structuredOutput.ts";
import { ChatTools } from "../responses/tools/chatTools.ts";
import type { ShownConversations } from "../responses/tools/waitingCalls.ts";

interface ToolsAndFormatsContext {
  readonly extensionUri: vscode.Uri;
  readonly records: Records;
  readonly log: Log;
  /** The active panel's conversation, or a new one. */
  session(): Promise<ChatSession>;
  shown(): ShownConversations;
}

/** The tools that a conversation's model may call and the format of its responses. One validator checks both. */
export class ToolsAndFormats implements vscode.Disposable {
  readonly tools: ChatTools;
  readonly structured: StructuredOutput;
  readonly #validator: ThreadValidator;

  constructor({ extensionUri, records, log, session, shown }: ToolsAndFormatsContext) {
    const thread = vscode.Uri.joinPath(extensionUri, "dist", "validatorThread.cjs").fsPath;
    this.#validator = new ThreadValidator({ thread });
    this.tools = new ChatTools({
      permissions: new PermissionTable(records),
      validator: this.#validator,
      shown,
      reportError: (error) => logFailure(log, error),
    });
    this.structured = new StructuredOutput(this.#validator, session);
  }

  dispose(): void {
    this.structured.dispose();
    this.tools.dispose();
    this.#validator.dispose();
  }
}
