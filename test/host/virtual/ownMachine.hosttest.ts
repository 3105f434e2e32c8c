import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { CodeActions } from "../../../src/vscode/responses/code/codeActions.ts";
import {
  exportFolder,
  openOwnTerminal,
  withOwnCopies,
  writeOnOwnMachine,
} from "../../../src/vscode/shell/ownMachine.ts";

describe("In a workspace on another machine", () => {
  function folderOf({ creationOptions }: vscode.Terminal): string | undefined {
    const cwd = "cwd" in creationOptions ? creationOptions.cwd : undefined;
    return typeof cwd === "string" ? cwd : cwd?.toString();
  }

  it("SSH terminals open on the machine that has the keys, and code runs where the workspace is", async () => {
    const own = openOwnTerminal("SSH example");
    // A folder of the scheme "file" is what makes VS Code open the terminal locally.
    assert.equal(folderOf(own), vscode.Uri.file(homedir()).toString());
    own.dispose();
    const before = vscode.window.showWarningMessage;
    Reflect.set(vscode.window, "showWarningMessage", async () => "Run in New Terminal");
    const actions = new CodeActions();
    const opened = new Promise<vscode.Terminal>((resolve) =>
      vscode.window.onDidOpenTerminal((terminal) => terminal !== own && resolve(terminal)),
    );
    try {
      await actions.run({ action: "run", code: "echo example", language: "sh" });
      const terminal = await opened;
      assert.equal(folderOf(terminal), undefined);
      terminal.dispose();
    } finally {
      Reflect.set(vscode.window, "showWarningMessage", before);
      actions.dispose();
    }
  });

  it("exports are offered a folder of this machine", () => {
    assert.equal(exportFolder().toString(), vscode.Uri.file(homedir()).toString());
  });

  it("files and folders to import are copied to this machine, and the copies are deleted", async () => {
    const uris = ["memfs:/project/src", "memfs:/project/README.md", "file:///dev/null"];
    let copied: readonly string[] = [];
    await withOwnCopies(
      uris.map((uri) => vscode.Uri.parse(uri)),
      async (paths) => {
        copied = paths;
        assert.match(readFileSync(join(paths[0] ?? "", "app.py"), "utf8"), /def total/);
        assert.match(readFileSync(paths[1] ?? "", "utf8"), /Virtual project/);
        assert.equal(paths[2], "/dev/null");
      },
    );
    assert.deepEqual(copied.map(existsSync), [false, false, true]);
    await assert.rejects(withOwnCopies([vscode.Uri.parse("memfs:/gone")], async () => undefined));
  });

  it("an archive is written on this machine, and copied only if it is complete", async () => {
    const target = vscode.Uri.parse("memfs:/project/all.zip");
    let folder = "";
    const write = (isComplete: boolean) =>
      writeOnOwnMachine(target, async (path) => {
        folder = dirname(path);
        writeFileSync(path, "archive");
        return isComplete;
      });
    assert.equal(await write(false), false);
    await assert.rejects(Promise.resolve(vscode.workspace.fs.stat(target)));
    assert.equal(await write(true), true);
    assert.equal(Buffer.from(await vscode.workspace.fs.readFile(target)).toString(), "archive");
    assert.equal(existsSync(folder), false);
    await vscode.workspace.fs.delete(target);
  });
});
