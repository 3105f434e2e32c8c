import * as vscode from "vscode";
import { FolderRules } from "../../../core/compose/context/excludeRules.ts";
import type { FileFacts } from "../../../core/servers/files/fileFacts.ts";
import { wholeSeconds } from "../../../core/servers/files/remoteFiles.ts";
import { skippedFolders } from "../../../processes/servers/localFiles.ts";
import type { LocalScan, UploadSource } from "../../../processes/servers/localFiles.ts";

/** Bytes that are uploaded from a file system that may be on another machine: all of them come through this one. */
const mostBytes = 100_000_000;

/** Files and folders of a file system of VS Code, such as those of a remote workspace. */
export class VscodeFiles implements UploadSource {
  readonly #roots: ReadonlyMap<string, vscode.Uri>;

  /** @param uris One folder, or what is uploaded under its own names. */
  constructor(uris: readonly vscode.Uri[], isContent: boolean) {
    this.#roots = new Map(uris.map((uri) => [isContent ? "" : (uri.path.split("/").at(-1) ?? ""), uri]));
  }

  async scan(includesIgnored: boolean): Promise<LocalScan> {
    const entries: FileFacts[] = [];
    const skipped = new Set<string>();
    const counts = { ignored: 0, unusual: 0, bytes: 0 };
    const add = async (uri: vscode.Uri, path: string, above: FolderRules | undefined): Promise<void> => {
      const facts = await factsOf(uri, path);
      if (facts === undefined) return void counts.unusual++;
      if (path !== "") entries.push(facts);
      if (facts.kind === "file") counts.bytes += facts.size;
      if (counts.bytes > mostBytes)
        throw new Error(
          vscode.l10n.t(
            "From here, at most 100 MB can be uploaded. Upload larger files from a local window.",
          ),
        );
      if (facts.kind === "folder") await walk(uri, path, above);
    };
    const walk = async (folder: vscode.Uri, path: string, above: FolderRules | undefined): Promise<void> => {
      const found = await vscode.workspace.fs.readDirectory(folder);
      const file = vscode.Uri.joinPath(folder, ".gitignore");
      const isRuled = found.some(([name]) => name === ".gitignore");
      const rules = isRuled ? new FolderRules(await readText(file), path, above) : above;
      for (const [name, type] of found) {
        const inner = path === "" ? name : `${path}/${name}`;
        const isFolder = (type & vscode.FileType.Directory) !== 0;
        if (isFolder && skippedFolders.has(name)) skipped.add(name);
        else if (!includesIgnored && rules?.ignores(isFolder ? `${inner}/` : inner) === true)
          counts.ignored++;
        else if ((type & vscode.FileType.SymbolicLink) !== 0) counts.unusual++;
        else await add(vscode.Uri.joinPath(folder, name), inner, rules);
      }
    };
    for (const [name, uri] of this.#roots) await add(uri, name, undefined);
    const { ignored, unusual } = counts;
    return { entries, ignored, unusual, skipped: [...skipped] };
  }

  async *read(entry: FileFacts, from: number): AsyncGenerator<Uint8Array> {
    yield (await vscode.workspace.fs.readFile(this.#uriOf(entry))).subarray(from);
  }

  async look(entry: FileFacts): Promise<FileFacts | undefined> {
    return await factsOf(this.#uriOf(entry), entry.path);
  }

  #uriOf({ path }: FileFacts): vscode.Uri {
    const [name = "", ...rest] = this.#roots.has("") ? ["", path] : path.split("/");
    return vscode.Uri.joinPath(this.#roots.get(name) ?? vscode.Uri.file("/"), ...rest);
  }
}

async function readText(uri: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

async function factsOf(uri: vscode.Uri, path: string): Promise<FileFacts | undefined> {
  try {
    const { type, size, mtime } = await vscode.workspace.fs.stat(uri);
    const isFolder = (type & vscode.FileType.Directory) !== 0;
    const kind = isFolder ? "folder" : "file";
    return { path, kind, size, mode: isFolder ? 0o755 : 0o644, modifiedAt: wholeSeconds(mtime) };
  } catch {
    return undefined;
  }
}
