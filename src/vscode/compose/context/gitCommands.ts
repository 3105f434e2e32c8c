import { createTwoFilesPatch } from "diff";
import * as vscode from "vscode";
import type { GitChanges } from "../../../core/compose/context/contextPart.ts";
import { isBinary, maxTextBytes } from "../../../core/compose/context/pastedText.ts";
import { isRecord, stringField } from "../../../core/kernel/json.ts";
import { isMissing } from "../../shell/findFiles.ts";

/** A repository of the workspace. */
export interface GitRepository {
  readonly name: string;
  readonly root: vscode.Uri;
  /** The number of changed files. Undefined if only Git itself could determine it. */
  readonly stagedCount: number | undefined;
  readonly changedCount: number | undefined;
  readChanges(): Promise<GitChanges>;
  /** The messages of recent commits, the latest first; empty without VS Code's Git extension on this machine. */
  readMessages(): Promise<readonly string[]>;
  /** The input box for the commit message; undefined without VS Code's Git extension. */
  readonly messageBox: { value: string } | undefined;
}

/** Versions of a file that the Git extension provides as documents of its scheme: the last commit, and the index. */
const head = "HEAD";
const index = "";

/** Changed lines up to which the shortest diff is searched for; its cost grows with their square. */
const maxChangedLines = 5_000;

/** A changed file, with its address in this window. */
interface Change {
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
}

interface RepositoryState {
  readonly staged: readonly Change[];
  readonly changed: readonly Change[];
}

/**
 * The repositories of a Git extension that runs on another machine: its API can't be reached from here, but its
 * commands and its documents can. Undefined if there is no Git extension on any machine.
 */
export async function findRepositoriesByCommands(): Promise<readonly GitRepository[] | undefined> {
  const roots: unknown = await run("git.api.getRepositories");
  if (!Array.isArray(roots)) return undefined;
  const known = roots.filter((root) => typeof root === "string");
  return await Promise.all(known.map(createRepository));
}

async function createRepository(root: string): Promise<GitRepository> {
  const { staged, changed } = await readState(root);
  const path = vscode.Uri.parse(root).path.replace(/\/$/, "");
  return {
    name: path.split("/").at(-1) ?? "",
    root: vscode.Uri.parse(root),
    stagedCount: staged.length,
    changedCount: changed.length,
    readChanges: () => readChanges(root, path),
    readMessages: () => Promise.resolve([]),
    // The Git extension accepts a message only through its API.
    messageBox: undefined,
  };
}

async function readChanges(root: string, path: string): Promise<GitChanges> {
  const { staged, changed } = await readState(root);
  return {
    staged: await diffAll(staged, path, async ({ uri, originalUri }) => [
      await readVersion(originalUri, head),
      await readVersion(uri, index),
    ]),
    unstaged: await diffAll(changed, path, async ({ uri, originalUri }) => [
      await readVersion(originalUri, index),
      await read(atWorkspace(uri)),
    ]),
  };
}

/** Throws if the Git extension no longer has this repository. */
async function readState(root: string): Promise<RepositoryState> {
  const state: unknown = await run("git.api.getRepositoryState", root);
  if (!isRecord(state)) throw new Error("The repository is closed.");
  return {
    staged: parseChanges(state["indexChanges"]),
    changed: parseChanges(state["workingTreeChanges"]),
  };
}

/** Untracked files are left out, as in Git's own diff. */
function parseChanges(value: unknown): readonly Change[] {
  const records: readonly unknown[] = Array.isArray(value) ? value : [];
  return records.filter(isRecord).flatMap((change) => {
    const uri = stringField(change, "renameUri") ?? stringField(change, "uri");
    if (uri === undefined || change["status"] === "UNTRACKED") return [];
    const original = stringField(change, "originalUri") ?? uri;
    return [{ uri: vscode.Uri.parse(uri), originalUri: vscode.Uri.parse(original) }];
  });
}

async function run(command: string, ...values: readonly unknown[]): Promise<unknown> {
  try {
    return await vscode.commands.executeCommand<unknown>(command, ...values);
  } catch {
    return undefined;
  }
}

/** Once the diff is larger than any that is attached, the rest isn't read. */
async function diffAll(
  changes: readonly Change[],
  root: string,
  readPair: (
    change: Change,
  ) => Promise<readonly [before: Uint8Array | undefined, after: Uint8Array | undefined]>,
): Promise<string> {
  let diff = "";
  for (const change of changes) {
    if (diff.length > maxTextBytes) break;
    const name = ({ path }: vscode.Uri): string => path.slice(root.length + 1);
    diff += diffFile(name(change.originalUri), name(change.uri), ...(await readPair(change)));
  }
  return diff;
}

/** In the format of Git. A file that doesn't exist is undefined. */
function diffFile(
  from: string,
  to: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): string {
  const title = `diff --git a/${from} b/${to}\n`;
  const [oldName, newName] = [
    before === undefined ? "/dev/null" : `a/${from}`,
    after === undefined ? "/dev/null" : `b/${to}`,
  ];
  const isText = [before, after].every(
    (bytes) => bytes === undefined || (bytes.length <= maxTextBytes && !isBinary(bytes)),
  );
  if (!isText) return `${title}Binary files ${oldName} and ${newName} differ\n`;
  const [oldText, newText] = [decode(before), decode(after)];
  const options = { context: 3, maxEditLength: maxChangedLines };
  const patch =
    createTwoFilesPatch(oldName, newName, oldText, newText, undefined, undefined, options) ??
    replaceWhole(oldName, newName, oldText, newText);
  return title + patch.replace(/^=+\n/, "");
}

/** Files that hardly have a line in common would take too long to compare. */
function replaceWhole(oldName: string, newName: string, oldText: string, newText: string): string {
  const [oldLines, newLines] = [oldText, newText].map((text) => text.replace(/\n$/, "").split("\n"));
  const lines = [
    ...[`--- ${oldName}`, `+++ ${newName}`, `@@ -1,${oldLines?.length} +1,${newLines?.length} @@`],
    ...(oldLines ?? []).map((line) => `-${line}`),
    ...(newLines ?? []).map((line) => `+${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

function decode(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : new TextDecoder().decode(bytes);
}

async function readVersion(uri: vscode.Uri, ref: string): Promise<Uint8Array | undefined> {
  // The path of a file on Windows begins with a slash in an address, but not in the file system.
  const path = uri.path.replace(/^\/(?=[A-Za-z]:)/, "");
  return read(vscode.Uri.from({ scheme: "git", path: uri.path, query: JSON.stringify({ path, ref }) }));
}

/** Undefined if the file doesn't exist. One that can't be read would look deleted. */
async function read(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The Git extension uses the paths of its own machine; from here, the files have the workspace's scheme. */
function atWorkspace(uri: vscode.Uri): vscode.Uri {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
  const remote = folders.find(({ scheme }) => scheme === "vscode-remote");
  return uri.scheme === "file" && remote !== undefined ? remote.with({ path: uri.path }) : uri;
}
