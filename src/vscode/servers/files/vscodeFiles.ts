import * as vscode from "vscode";
import { wholeSeconds } from "../../../core/servers/files/remoteFiles.ts";
import type { FileSystem } from "../../../processes/servers/localFiles.ts";

/** Files and folders of a file system of VS Code, such as those of a remote workspace. */
export const vscodeFiles: FileSystem<vscode.Uri> = {
  async list(folder) {
    const found = await vscode.workspace.fs.readDirectory(folder);
    return found.map(([name, type]) => ({ name, isFolder: type === vscode.FileType.Directory }));
  },
  join: (folder, path) => vscode.Uri.joinPath(folder, path),
  async look(file, path) {
    try {
      const { type, size, mtime } = await vscode.workspace.fs.stat(file);
      const facts = { path, size, modifiedAt: wholeSeconds(mtime) };
      if (type === vscode.FileType.Directory) return { ...facts, kind: "folder", mode: 0o755 };
      return type === vscode.FileType.File ? { ...facts, kind: "file", mode: 0o644 } : undefined;
    } catch {
      return undefined;
    }
  },
  async *read(file, _, from) {
    yield (await vscode.workspace.fs.readFile(file)).subarray(from);
  },
  listWithGit: () => Promise.resolve(undefined),
};
