import * as vscode from "vscode";
import { passBoundary } from "../../shell/fileBoundary.ts";
import { readText } from "../../shell/readText.ts";
import type { SchemaValidator } from "../../../core/responses/structured/responseCheck.ts";
import { parseSchema } from "../../../core/responses/structured/parseSchema.ts";
import type { ResponseFormat } from "../../../core/responses/structured/responseFormat.ts";
import { showErrorMessage, showQuickPick } from "../../shell/window.ts";

export type FormatChoice =
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

function createItems(current: ResponseFormat | undefined, validator: SchemaValidator): readonly FormatItem[] {
  const settled = (format: ResponseFormat | undefined) => async (): Promise<FormatChoice> => ({
    kind: "format",
    format,
  });
  const inUse = vscode.l10n.t("in use");
  return [
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
export async function formatOf(
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
