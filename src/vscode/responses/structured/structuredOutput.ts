import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { ToWebview } from "../../../core/panel/protocol.ts";
import { checkResponse } from "../../../core/responses/structured/checkResponse.ts";
import { retryPrompt } from "../../../core/responses/structured/problemText.ts";
import type { SchemaValidator } from "../../../core/responses/structured/responseCheck.ts";
import { responseFormat, withResponseFormat } from "../../../core/responses/structured/responseFormat.ts";
import { responseJson } from "../../../core/responses/structured/responseJson.ts";
import { showInformationMessage } from "../../shell/window.ts";
import { chooseFormat, formatOf } from "./chooseFormat.ts";

/** The paths of the documents whose title bar has the button for using the schema. */
const contextKey = "inferenceGateway.schemaDrafts";

/** Documents into which a schema is pasted or typed. The button in their title bar applies it. */
class SchemaDrafts implements vscode.Disposable {
  readonly #validator: SchemaValidator;
  readonly #target: () => Promise<ChatSession>;
  readonly #paths = new Set<string>();
  readonly #listener: vscode.Disposable;

  constructor(validator: SchemaValidator, target: () => Promise<ChatSession>) {
    this.#validator = validator;
    this.#target = target;
    this.#listener = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (this.#paths.delete(uri.path)) this.#emit();
    });
  }

  async open(content: string = template): Promise<void> {
    const document = await vscode.workspace.openTextDocument({ content, language: "json" });
    this.#paths.add(document.uri.path);
    this.#emit();
    await vscode.window.showTextDocument(document, {
      preview: false,
      viewColumn: vscode.ViewColumn.Beside,
      selection: new vscode.Range(0, 0, document.lineCount, 0),
    });
    void showInformationMessage(
      vscode.l10n.t("Paste or write the JSON Schema, then select the check mark in the editor's title bar."),
    );
  }

  async use(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) return;
    const choice = await formatOf(document.getText(), "answer", this.#validator);
    if (choice === undefined) return;
    const session = await this.#target();
    session.changeSettings(withResponseFormat(session.state.settings, choice.format));
    void showInformationMessage(
      vscode.l10n.t("Responses in “{0}” must now match this schema.", session.state.title),
    );
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #emit(): void {
    void vscode.commands.executeCommand("setContext", contextKey, [...this.#paths]);
  }
}

const template = `{
  "title": "answer",
  "type": "object",
  "properties": {
    "summary": { "type": "string" }
  },
  "required": ["summary"],
  "additionalProperties": false
}
`;

/** Implements the format of a conversation's responses, and the check results below them. */
export class StructuredOutput implements vscode.Disposable {
  readonly #validator: SchemaValidator;
  readonly #drafts: SchemaDrafts;

  /** @param target The session to which a pasted schema is applied. */
  constructor(validator: SchemaValidator, target: () => Promise<ChatSession>) {
    this.#validator = validator;
    this.#drafts = new SchemaDrafts(validator, target);
  }

  /** Asks for the format of the conversation's responses. */
  async chooseFormat(session: ChatSession): Promise<void> {
    const choice = await chooseFormat(responseFormat(session.state.settings), this.#validator);
    if (choice === undefined) return;
    if (choice.kind === "paste") return await this.#drafts.open();
    session.changeSettings(withResponseFormat(session.state.settings, choice.format));
  }

  /** Applies the schema that was pasted into the active editor. */
  async useDraft(): Promise<void> {
    await this.#drafts.use();
  }

  removeFormat(session: ChatSession): void {
    session.changeSettings(withResponseFormat(session.state.settings, undefined));
  }

  /** Shows the schema of the conversation as a document. */
  async openSchema(session: ChatSession): Promise<void> {
    const format = responseFormat(session.state.settings);
    if (format?.type !== "jsonSchema") return await this.chooseFormat(session);
    const content = `${JSON.stringify(format.schema, undefined, 2)}\n`;
    await this.#drafts.open(content);
  }

  /** Reports to the page whether a response matches its requested format. */
  async check(message: Message, reply: (message: ToWebview) => void): Promise<void> {
    const format = responseFormat(message.settings);
    if (format === undefined) return;
    const check = await checkResponse(message.text, format, this.#validator);
    reply({ type: "answerChecked", messageId: message.id, check });
  }

  /** Sends the errors to the model as the user's next message. */
  async retry(session: ChatSession, message: Message): Promise<void> {
    const format = responseFormat(message.settings);
    if (format === undefined) return;
    const prompt = retryPrompt(await checkResponse(message.text, format, this.#validator));
    if (prompt !== undefined) session.send(prompt);
  }

  /** Asks where to save the value of a response. */
  async save(message: Message): Promise<void> {
    const response = responseJson(message.text);
    if (response.state === "notJson") return;
    const format = responseFormat(message.settings);
    const name = `${format?.type === "jsonSchema" ? format.name : "answer"}.json`;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const uri = await vscode.window.showSaveDialog({
      filters: { JSON: ["json"] },
      ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    });
    if (uri === undefined) return;
    await vscode.workspace.fs.writeFile(uri, Buffer.from(`${response.json}\n`));
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#drafts.dispose();
  }
}
