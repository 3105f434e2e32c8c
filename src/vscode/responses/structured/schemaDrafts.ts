import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { SchemaValidator } from "../../../core/responses/structured/responseCheck.ts";
import { withResponseFormat } from "../../../core/responses/structured/responseFormat.ts";
import { formatOf } from "./chooseFormat.ts";
import { showInformationMessage } from "../../shell/window.ts";

/** The paths of the documents whose title bar has the button for using the schema. */
const contextKey = "inferenceGateway.schemaDrafts";

/** Documents into which a schema is pasted or typed. The button in their title bar applies it. */
export class SchemaDrafts implements vscode.Disposable {
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
