import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { urisOfDrop } from "../../../src/vscode/servers/files/upload.ts";
import { chosenFiles } from "../../../src/vscode/servers/files/uploadPlan.ts";
import { oddNames, writeTree } from "../../support/fileTrees.ts";

/** A file system whose names lead out of the folder. */
class HostileFiles implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  stat({ path }: vscode.Uri): vscode.FileStat {
    const type = /\.\w+$/.test(path) ? vscode.FileType.File : vscode.FileType.Directory;
    return { type, ctime: 0, mtime: 0, size: 1 };
  }

  readDirectory(): [string, vscode.FileType][] {
    return [
      ["..", vscode.FileType.Directory],
      [".", vscode.FileType.Directory],
      ["../evil.txt", vscode.FileType.File],
      ["/evil.txt", vscode.FileType.File],
      ["good.txt", vscode.FileType.File],
    ];
  }

  readonly readFile = (): Uint8Array => Buffer.from("x");
  readonly watch = (): vscode.Disposable => new vscode.Disposable(() => undefined);
  readonly createDirectory = (): void => undefined;
  readonly writeFile = (): void => undefined;
  readonly delete = (): void => undefined;
  readonly rename = (): void => undefined;
}

describe("What is dropped on a server or chosen for it", () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "dropped-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  async function drop(...lines: readonly string[]): Promise<readonly string[]> {
    const transfer = new vscode.DataTransfer();
    transfer.set("text/uri-list", new vscode.DataTransferItem(lines.join("\r\n")));
    return (await urisOfDrop(transfer)).map(String);
  }

  it("is every file and folder of the drop, and nothing else that a program may have added", async () => {
    const files = oddNames.map((name) => vscode.Uri.file(join(folder, name)).toString());
    assert.deepEqual(
      await drop(
        "# a comment",
        ...files,
        "",
        "memfs:/project/src",
        "https://example.org/x",
        "no address",
        ":",
      ),
      [...files, "memfs:/project/src"],
    );
    assert.deepEqual(await urisOfDrop(new vscode.DataTransfer()), []);
  });

  it("goes under its own names if it is several items, once if one is in another, and alone if it is a folder", async () => {
    writeTree(folder, { "a/x.txt": "1", "a/deep/y.txt": "2", "b.txt": "3", "ab.txt": "4" });
    const choose = async (...paths: readonly string[]): Promise<readonly unknown[]> => {
      const uris = paths.map((path) => vscode.Uri.file(join(folder, path)));
      const { name, isFolder, source } = await chosenFiles(uris);
      const { entries } = await source.scan(false);
      return [name, isFolder, entries.map(({ path }) => path).toSorted()];
    };
    const inside = ["deep", "deep/y.txt", "x.txt"];
    assert.deepEqual(await choose("a", "b.txt", "ab.txt", "a/x.txt", "a/deep"), [
      ...["3 items", false],
      ["a", ...inside.map((path) => `a/${path}`), "ab.txt", "b.txt"],
    ]);
    assert.deepEqual(await choose("a"), ["a", true, inside]);
    assert.deepEqual(await choose("a/", "a/x.txt"), ["a", true, inside]);
    assert.deepEqual(await choose("b.txt"), ["b.txt", false, ["b.txt"]]);
  });

  it("is refused if two items would get the same name on the server", async () => {
    writeTree(folder, { "a/data.csv": "1", "b/data.csv": "2" });
    const uris = ["a/data.csv", "b/data.csv"].map((path) => vscode.Uri.file(join(folder, path)));
    await assert.rejects(chosenFiles(uris), /same name/);
  });

  it("may be in a remote workspace, together with files of this machine", async () => {
    writeTree(folder, { "b.txt": "here" });
    const uris = [vscode.Uri.parse("memfs:/project/src"), vscode.Uri.file(join(folder, "b.txt"))];
    const { source } = await chosenFiles(uris);
    const { entries } = await source.scan(false);
    const texts: Record<string, string> = {};
    for (const entry of entries.filter(({ kind }) => kind === "file"))
      for await (const piece of source.read(entry, 0)) texts[entry.path] = Buffer.from(piece).toString();
    assert.match(texts["src/app.py"] ?? "", /def total/);
    assert.equal(texts["b.txt"], "here");
  });

  it("is counted as left out where a file system gives names that lead elsewhere", async () => {
    const provider = vscode.workspace.registerFileSystemProvider("hostile", new HostileFiles());
    const { source } = await chosenFiles([vscode.Uri.parse("hostile:/folder")]);
    const { entries, unusual } = await source.scan(false);
    assert.deepEqual([entries.map(({ path }) => path), unusual], [["good.txt"], 4]);
    provider.dispose();
  });
});
