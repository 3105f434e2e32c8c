import * as vscode from "vscode";

/** Files in memory under a scheme of their own, as those of a virtual workspace. */
export class MemoryFiles implements vscode.FileSystemProvider {
  readonly #files = new Map<string, Uint8Array>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  /** Whether files report that they are read-only. */
  isReadonly = false;
  /** Whether writing fails although files don't report it, as without permission. */
  isFull = false;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const times = { ctime: 0, mtime: 0 };
    const bytes = this.#files.get(uri.path);
    const permissions = this.isReadonly ? { permissions: vscode.FilePermission.Readonly } : {};
    if (bytes !== undefined)
      return { type: vscode.FileType.File, size: bytes.length, ...times, ...permissions };
    if (this.#names(uri).length > 0) return { type: vscode.FileType.Directory, size: 0, ...times };
    throw vscode.FileSystemError.FileNotFound(uri);
  }

  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    return this.#names(uri).map((name) => [name, vscode.FileType.File]);
  }

  createDirectory(): void {
    // Folders exist as soon as they contain a file.
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const bytes = this.#files.get(uri.path);
    if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    if (this.isFull) throw vscode.FileSystemError.NoPermissions(uri);
    this.#files.set(uri.path, content);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  delete(uri: vscode.Uri): void {
    this.#files.delete(uri.path);
    this.#changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  rename(from: vscode.Uri, to: vscode.Uri): void {
    this.writeFile(to, this.readFile(from));
    this.delete(from);
  }

  #names({ path }: vscode.Uri): readonly string[] {
    const folder = path.endsWith("/") ? path : `${path}/`;
    return [...this.#files.keys()]
      .filter((file) => file.startsWith(folder))
      .map((file) => file.slice(folder.length));
  }
}
