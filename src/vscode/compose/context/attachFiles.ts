import * as vscode from "vscode";
import {
  filePart,
  folderPart,
  foreignFilePart,
  formatTree,
  notebookPart,
  symbolPart,
} from "../../../core/compose/context/contextPart.ts";
import type { TreeEntry, LineRange } from "../../../core/compose/context/contextPart.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { notebookText } from "../../../core/compose/editor/editRequest.ts";
import type { NotebookCell } from "../../../core/compose/editor/editRequest.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import type { FileOrigin, ResolvedFile } from "../../shell/fileBoundary.ts";
import { readText } from "../../shell/readText.ts";
import { onlyNotice } from "./choice.ts";
import { IgnoreFiles, isOutOfSearch, guardFiles, guardForeignFile } from "./ignoreFiles.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";

/** Maximum number of entries in a listing, and its maximum depth. */
const maxEntries = 400;
const maxDepth = 5;

interface FolderScan {
  readonly ignored: IgnoreFiles;
  left: number;
}

/**
 * The contents of the folder and its subfolders, without what is ignored by Git and searches. A sentence if it can't be
 * read.
 */
async function folderListing(uri: vscode.Uri): Promise<TextPart | string> {
  const path = vscode.workspace.asRelativePath(uri);
  try {
    const entries = await readFolder(uri, maxDepth, { ignored: new IgnoreFiles(), left: maxEntries });
    return folderPart(path, formatTree(entries));
  } catch {
    return vscode.l10n.t("{0} couldn't be read.", path);
  }
}

async function readFolder(uri: vscode.Uri, depth: number, scan: FolderScan): Promise<readonly TreeEntry[]> {
  const all = await vscode.workspace.fs.readDirectory(uri);
  const shown: { readonly name: string; readonly isFolder: boolean }[] = [];
  for (const [name, type] of all) {
    const inner = vscode.Uri.joinPath(uri, name);
    if (isOutOfSearch(vscode.workspace.asRelativePath(inner, false))) continue;
    if (await scan.ignored.isIgnored(inner)) continue;
    if (scan.left-- <= 0) break;
    // A link is listed but not followed, because it could lead to a loop.
    shown.push({ name, isFolder: type === vscode.FileType.Directory });
  }
  const entries: TreeEntry[] = [];
  for (const { name, isFolder } of shown) {
    const canOpen = isFolder && depth > 1 && scan.left > 0;
    const children = canOpen ? await readQuietly(vscode.Uri.joinPath(uri, name), depth - 1, scan) : undefined;
    entries.push(children === undefined ? { name, isFolder } : { name, isFolder, children });
  }
  return entries;
}

/** A subfolder that can't be read doesn't invalidate the listing. */
async function readQuietly(
  uri: vscode.Uri,
  depth: number,
  scan: FolderScan,
): Promise<readonly TreeEntry[] | undefined> {
  return await readFolder(uri, depth, scan).catch(() => undefined);
}

/** Maximum number of files attached at once. Dropping a whole project is a mistake. */
const maxFiles = 20;

/** Attaches each file separately and a folder as its listing. `notice` says what is left out and why. */
export async function attachFiles(uris: readonly vscode.Uri[], origin: FileOrigin): Promise<Composition> {
  const allowed = await guardFiles(uris.slice(0, maxFiles), origin);
  const outcomes = await Promise.all(allowed.map(attachFile));
  const parts = outcomes.filter((outcome): outcome is TextPart => typeof outcome !== "string");
  const notices = [
    ...outcomes.filter((outcome) => typeof outcome === "string"),
    ...(uris.length > maxFiles
      ? [vscode.l10n.t("Only the first {0} files are attached.", formatNumber(maxFiles))]
      : []),
  ];
  return { text: "", parts, ...(notices.length === 0 ? {} : { notice: notices.join(" ") }) };
}

/** A text whose file location isn't known. */
export async function attachForeignText(name: string, text: string): Promise<Composition> {
  const isAllowed = await guardForeignFile(name);
  return { text: "", parts: isAllowed ? [foreignFilePart(name, text)] : [] };
}

/** Uses the name of what was read: a link is named after its target. */
async function attachFile({ uri, real }: ResolvedFile): Promise<TextPart | string> {
  if (await isFolder(real)) return await folderListing(real);
  const notebook = await readNotebook(real, uri);
  if (notebook !== undefined)
    return notebookPart(vscode.workspace.asRelativePath(real), notebookText(notebook));
  const content = await readText(real, uri);
  if (typeof content === "string") return content;
  return filePart({ path: vscode.workspace.asRelativePath(real) }, content.text, content.languageId);
}

/** The cells of a notebook as they are in its editor. Undefined if it is something else, or if it can't be read as one. */
async function readNotebook(
  real: vscode.Uri,
  named: vscode.Uri,
): Promise<readonly NotebookCell[] | undefined> {
  const names = [real.toString(), named.toString()];
  const open = vscode.workspace.notebookDocuments.find(({ uri }) => names.includes(uri.toString()));
  if (open === undefined && !real.path.endsWith(".ipynb")) return undefined;
  try {
    const notebook = open ?? (await vscode.workspace.openNotebookDocument(real));
    return notebook.getCells().map(({ document, outputs }) => ({
      languageId: document.languageId,
      text: document.getText(),
      outputs: outputs.map(({ items }) =>
        items.map(({ mime, data }) => ({ mime, text: () => Buffer.from(data).toString("utf8") })),
      ),
    }));
  } catch {
    return undefined;
  }
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  } catch {
    return false;
  }
}

/** The selected text with its location; undefined if nothing is selected. */
export async function attachSelection(editor: vscode.TextEditor | undefined): Promise<Composition> {
  if (editor === undefined) return onlyNotice(vscode.l10n.t("No text editor is open."));
  const { document, selections } = editor;
  const chosen = selections.filter(({ isEmpty }) => !isEmpty);
  if (chosen.length === 0) return onlyNotice(nothingSelected(document));
  const [allowed] = await guardFiles([document.uri], "page");
  if (allowed === undefined) return { text: "", parts: [] };
  const path = vscode.workspace.asRelativePath(allowed.real);
  const parts = chosen.map((selection) =>
    filePart({ path, lines: linesOf(selection) }, document.getText(selection), document.languageId),
  );
  return { text: "", parts };
}

/** The sentence for an editor without a selection. */
export function nothingSelected(document: vscode.TextDocument): string {
  return vscode.l10n.t("Nothing is selected in {0}.", vscode.workspace.asRelativePath(document.uri));
}

/** The part of a document that a symbol refers to. */
export async function attachSymbol(name: string, uri: vscode.Uri, range: vscode.Range): Promise<Composition> {
  const [allowed] = await guardFiles([uri], "page");
  if (allowed === undefined) return { text: "", parts: [] };
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const whole = document.validateRange(
      new vscode.Range(range.start.with({ character: 0 }), document.lineAt(range.end.line).range.end),
    );
    const location = { path: vscode.workspace.asRelativePath(allowed.real), lines: linesOf(whole) };
    return { text: "", parts: [symbolPart(name, location, document.getText(whole), document.languageId)] };
  } catch {
    return onlyNotice(vscode.l10n.t("{0} couldn't be read.", vscode.workspace.asRelativePath(uri)));
  }
}

/** If a selection ends at the start of a line, that line isn't included. */
export function linesOf({ start, end }: vscode.Range): LineRange {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { first: start.line + 1, last };
}
