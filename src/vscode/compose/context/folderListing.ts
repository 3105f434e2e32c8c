import * as vscode from "vscode";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { folderPart } from "../../../core/compose/context/contextPart.ts";
import { formatTree } from "../../../core/compose/context/folderTree.ts";
import type { TreeEntry } from "../../../core/compose/context/folderTree.ts";
import { IgnoreFiles, isOutOfSearch } from "./ignoreFiles.ts";

/** Entries of one listing, and how deep it goes. */
const maxEntries = 400;
const maxDepth = 5;

interface Reading {
  readonly ignored: IgnoreFiles;
  left: number;
}

/** What stands in the folder and below, without what Git ignores and searches leave out. A sentence where it can't be read. */
export async function folderListing(uri: vscode.Uri): Promise<TextPart | string> {
  const path = vscode.workspace.asRelativePath(uri);
  try {
    const entries = await readFolder(uri, maxDepth, { ignored: new IgnoreFiles(), left: maxEntries });
    return folderPart(path, formatTree(entries));
  } catch {
    return vscode.l10n.t("{0} could not be read.", path);
  }
}

async function readFolder(uri: vscode.Uri, depth: number, reading: Reading): Promise<readonly TreeEntry[]> {
  const all = await vscode.workspace.fs.readDirectory(uri);
  const shown: { readonly name: string; readonly isFolder: boolean }[] = [];
  for (const [name, type] of all) {
    const inner = vscode.Uri.joinPath(uri, name);
    if (isOutOfSearch(vscode.workspace.asRelativePath(inner, false))) continue;
    if (await reading.ignored.isIgnored(inner)) continue;
    if (reading.left-- <= 0) break;
    // A link is listed, not followed: it may lead round in a circle.
    shown.push({ name, isFolder: type === vscode.FileType.Directory });
  }
  const entries: TreeEntry[] = [];
  for (const { name, isFolder } of shown) {
    const canOpen = isFolder && depth > 1 && reading.left > 0;
    const children = canOpen
      ? await readQuietly(vscode.Uri.joinPath(uri, name), depth - 1, reading)
      : undefined;
    entries.push(children === undefined ? { name, isFolder } : { name, isFolder, children });
  }
  return entries;
}

/** A folder below that can't be read doesn't spoil the listing. */
async function readQuietly(
  uri: vscode.Uri,
  depth: number,
  reading: Reading,
): Promise<readonly TreeEntry[] | undefined> {
  return await readFolder(uri, depth, reading).catch(() => undefined);
}
