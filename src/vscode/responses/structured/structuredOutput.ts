import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { ToWebview } from "../../../core/panel/protocol.ts";
import { checkResponse } from "../../../core/responses/structured/checkResponse.ts";
import { parseSchema } from "../../../core/responses/structured/parseSchema.ts";
import { retryPrompt } from "../../../core/responses/structured/problemText.ts";
import { responseJson } from "../../../core/responses/structured/responseCheck.ts";
import type { SchemaValidator } from "../../../core/responses/structured/responseCheck.ts";
import { responseFormat, withResponseFormat } from "../../../core/responses/structured/responseFormat.ts";
import type { ResponseFormat } from "../../../core/responses/structured/responseFormat.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { setContextKey } from "../../shell/contextKey.ts";
import { passBoundary } from "../../shell/fileBoundary.ts";
import { readText } from "../../shell/readText.ts";
import { showErrorMessage, showInformationMessage, showQuickPick } from "../../shell/window.ts";

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
    setContextKey(contextKey, [...this.#paths]);
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

type FormatChoice =
  { readonly kind: "format"; readonly format: ResponseFormat | undefined } | { readonly kind: "paste" };

type FormatItem = vscode.QuickPickItem & { choose(): Promise<FormatChoice | undefined> };

/** Asks for the response format. Undefined if the user cancels or the schema can't be used. */
export async function chooseFormat(
  current: ResponseFormat | undefined,
  validator: SchemaValidator,
): Promise<FormatChoice | undefined> {
  const picked = await showQuickPick(createItems(current, validator), {
    title: vscode.l10n.t("Response Format"),
    placeHolder: vscode.l10n.t("Select the response format for this conversation"),
  });
  return await picked?.choose();
}

/** The one in use comes first, so that the list opens there. */
function createItems(current: ResponseFormat | undefined, validator: SchemaValidator): readonly FormatItem[] {
  const settled = (format: ResponseFormat | undefined) => async (): Promise<FormatChoice> => ({
    kind: "format",
    format,
  });
  const inUse = vscode.l10n.t("in use");
  const items: readonly FormatItem[] = [
    ...(current?.type === "jsonSchema"
      ? [{ label: escapeCodicons(current.name), description: inUse, choose: settled(current) }]
      : []),
    ...activeEditorItems(validator),
    {
      label: vscode.l10n.t("JSON Schema from a file…"),
      choose: () => chooseFile(validator),
    },
    {
      label: vscode.l10n.t("Paste or write a JSON Schema…"),
      choose: async () => ({ kind: "paste" }),
    },
    {
      label: vscode.l10n.t("Any JSON object"),
      description: current?.type === "jsonObject" ? inUse : "",
      choose: settled({ type: "jsonObject" }),
    },
    {
      label: vscode.l10n.t("Text"),
      description: current === undefined ? inUse : vscode.l10n.t("clear the response format"),
      choose: settled(undefined),
    },
  ];
  const isCurrent = ({ description }: FormatItem): number => (description === inUse ? 1 : 0);
  return items.toSorted((one, other) => isCurrent(other) - isCurrent(one));
}

/** The visible JSON documents: while the chat has the focus, no text editor is active. */
function activeEditorItems(validator: SchemaValidator): readonly FormatItem[] {
  const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
  return [...documents]
    .filter(({ languageId }) => languageId === "json" || languageId === "jsonc")
    .map((document) => ({
      label: vscode.l10n.t("JSON Schema in {0}", vscode.workspace.asRelativePath(document.uri)),
      description: vscode.l10n.t("open editor"),
      choose: () => formatOf(document.getText(), baseName(document.uri), validator),
    }));
}

async function chooseFile(validator: SchemaValidator): Promise<FormatChoice | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("JSON Schema"),
      openLabel: vscode.l10n.t("Use as Response Format"),
      filters: { JSON: ["json", "jsonc"] },
    })) ?? [];
  if (uri === undefined) return undefined;
  const [file] = await passBoundary([uri], "chosen");
  if (file === undefined) return undefined;
  const content = await readText(file.real, uri);
  if (typeof content === "string") return void showErrorMessage(content);
  return await formatOf(content.text, baseName(uri), validator);
}

/** Reads and compiles the schema; shows a message if that isn't possible. */
async function formatOf(
  text: string,
  name: string,
  validator: SchemaValidator,
): Promise<Extract<FormatChoice, { kind: "format" }> | undefined> {
  const parsed = parseSchema(text, name);
  if (parsed.state === "refused") return void showErrorMessage(parsed.message);
  const verdict = await validator.validate(parsed.format.schema, undefined);
  if (verdict.state === "badSchema") {
    return void showErrorMessage(vscode.l10n.t("The JSON Schema can't be used: {0}", verdict.message));
  }
  return { kind: "format", format: parsed.format };
}

function baseName(uri: vscode.Uri): string {
  const file = uri.path.split("/").at(-1) ?? "";
  return file.replace(/(?:\.schema)?\.jsonc?$/i, "");
}
