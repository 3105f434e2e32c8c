import * as vscode from "vscode";
import { cellErrors, longestPart, moveSpan } from "../../../core/compose/editor/editRequest.ts";
import type { EditedPart, TextSpan } from "../../../core/compose/editor/editRequest.ts";
import { fenced, filePart, formatProblems } from "../../../core/compose/context/contextPart.ts";
import { maxTextBytes } from "../../../core/compose/context/pastedText.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { linesOf, nothingSelected } from "../context/attachFiles.ts";
import { documentSymbols, problemOf } from "../context/contextChoices.ts";
import { guardFiles } from "../context/ignoreFiles.ts";
import { notebookCellOf } from "../../shell/changeDocument.ts";
import type { LastEditor } from "../../shell/lastEditor.ts";

/** The code that an action of the editor is about. */
export interface EditorTarget {
  readonly document: vscode.TextDocument;
  /** Whole lines, without the end of the last one. */
  readonly range: vscode.Range;
  /** The notebook cell that contains the code. */
  readonly cell?: vscode.NotebookCell;
}

/** The code that one of our code actions was offered for. */
interface CodeActionTarget {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

/** Follows the lines of a target through changes of its document, until it is disposed. */
export function followTarget(target: EditorTarget): EditorTarget & vscode.Disposable {
  const { document, range } = target;
  let span: TextSpan = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
  const changes = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document !== document) return;
    for (const { rangeOffset: offset, rangeLength: length, text } of event.contentChanges)
      span = moveSpan(span, { offset, length, text });
  });
  return {
    ...target,
    get range() {
      return wholeLines(
        document,
        new vscode.Range(document.positionAt(span.start), document.positionAt(span.end)),
      );
    },
    dispose: () => changes.dispose(),
  };
}

/** Lines of a function or class, or of a file without any, that is used if nothing is selected. */
const mostLines = 400;

/**
 * What a command is about: the cell or code action that it was called for, otherwise the selection. Without a
 * selection, the function or class around the cursor, or with `line`, the line of the cursor. A sentence if there is
 * nothing.
 */
export async function findTarget(
  clicked: unknown,
  lastEditor: LastEditor,
  without: "symbol" | "line",
): Promise<EditorTarget | string> {
  if (isCell(clicked))
    return { document: clicked.document, range: wholeLines(clicked.document), cell: clicked };
  if (isCodeActionTarget(clicked)) {
    const document = await vscode.workspace.openTextDocument(clicked.uri);
    return findIn(document, clicked.range, without);
  }
  const editor = vscode.window.activeTextEditor ?? lastEditor.last;
  if (editor === undefined) return vscode.l10n.t("No text editor is open.");
  if (editor.selections.length > 1)
    return vscode.l10n.t(
      "Only one selection can be edited at once. Press Escape to keep one, and try again.",
    );
  return findIn(editor.document, editor.selection, without);
}

async function findIn(
  document: vscode.TextDocument,
  selection: vscode.Range,
  without: "symbol" | "line",
): Promise<EditorTarget | string> {
  const cell = notebookCellOf(document);
  const target = (range: vscode.Range): EditorTarget => ({
    document,
    range: wholeLines(document, range),
    ...(cell === undefined ? {} : { cell }),
  });
  if (!selection.isEmpty || without === "line") return target(selection);
  if (cell !== undefined) return target(wholeLines(document));
  const symbols = await documentSymbols(document.uri);
  const around = symbols
    .map(({ range }) => range)
    .filter((range) => !range.isSingleLine && range.contains(selection) && lineCount(range) <= mostLines)
    .toSorted((a, b) => lineCount(a) - lineCount(b));
  if (around[0] !== undefined) return target(around[0]);
  return document.lineCount <= mostLines ? target(wholeLines(document)) : nothingSelected(document);
}

/** What the model is given for an edit. Undefined if the user keeps the file private; a sentence if it's too long. */
export async function readEditedPart(target: EditorTarget): Promise<EditedPart | string | undefined> {
  const { document, cell } = target;
  const [allowed] = await guardFiles([cell?.notebook.uri ?? document.uri], "chosen");
  if (allowed === undefined) return undefined;
  // The lines may have moved while the user was asked.
  const { range } = target;
  const text = document.getText();
  const span = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
  if (span.end - span.start > longestPart)
    return vscode.l10n.t(
      "The selection is too long to edit at once. Select at most {0} characters.",
      formatNumber(longestPart),
    );
  const problems = vscode.languages
    .getDiagnostics(document.uri)
    .filter((problem) => problem.range.intersection(range) !== undefined)
    .map((problem) => ({ ...problemOf(document.uri, problem), path: nameOf(document) }));
  return {
    path: pathOf(document, cell),
    languageId: document.languageId,
    lines: linesOf(range),
    ...{ text, span },
    problems: formatProblems(problems),
    output: cell === undefined ? "" : errorsOf(cell),
  };
}

/** The code as attachments of a message. Empty if the user keeps the file private; a sentence if it's too long. */
export async function attachTarget({
  document,
  range,
  cell,
}: EditorTarget): Promise<readonly TextPart[] | string> {
  const text = document.getText(range);
  if (text.length > maxTextBytes)
    return vscode.l10n.t("The code is larger than 1 MB. Select the relevant part.");
  const [allowed] = await guardFiles([cell?.notebook.uri ?? document.uri], "page");
  if (allowed === undefined) return [];
  const location = { path: pathOf(document, cell), lines: linesOf(range) };
  const errors = cell === undefined ? "" : errorsOf(cell);
  return [
    filePart(location, text, document.languageId),
    ...(errors === ""
      ? []
      : [
          {
            type: "text",
            text: `Output of the cell:\n\n${fenced(errors, "")}`,
            title: vscode.l10n.t("Error output"),
          } as const,
        ]),
  ];
}

/** The path in the workspace, with the number of the cell. */
function pathOf(document: vscode.TextDocument, cell: vscode.NotebookCell | undefined): string {
  if (cell === undefined) return vscode.workspace.asRelativePath(document.uri);
  return `${vscode.workspace.asRelativePath(cell.notebook.uri)} (cell ${cell.index + 1})`;
}

function nameOf({ uri }: vscode.TextDocument): string {
  return uri.path.split("/").at(-1) ?? "";
}

function errorsOf({ outputs }: vscode.NotebookCell): string {
  const items = outputs.flatMap((output) => output.items);
  return cellErrors(items.map(({ mime, data }) => ({ mime, text: () => decode(data) })));
}

/** In a notebook that an extension has created, VS Code passes the bytes on as the JSON of a buffer. */
function decode(data: unknown): string {
  if (ArrayBuffer.isView(data))
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
  if (!isRecord(data)) return "";
  const { buffer, data: list } = data;
  if (buffer !== undefined) return decode(buffer);
  const bytes: readonly unknown[] = Array.isArray(list) ? list : Object.values(data);
  return Buffer.from(bytes.filter((byte) => typeof byte === "number")).toString("utf8");
}

function wholeLines(document: vscode.TextDocument, range?: vscode.Range): vscode.Range {
  const last = document.lineCount - 1;
  const lines = range === undefined ? { first: 1, last: last + 1 } : linesOf(range);
  return new vscode.Range(
    lines.first - 1,
    0,
    lines.last - 1,
    document.lineAt(Math.min(last, lines.last - 1)).text.length,
  );
}

function lineCount({ start, end }: vscode.Range): number {
  return end.line - start.line + 1;
}

function isCell(value: unknown): value is vscode.NotebookCell {
  return isRecord(value) && isRecord(value["notebook"]) && isRecord(value["document"]) && "outputs" in value;
}

function isCodeActionTarget(value: unknown): value is CodeActionTarget {
  return isRecord(value) && value["uri"] instanceof vscode.Uri && value["range"] instanceof vscode.Range;
}
