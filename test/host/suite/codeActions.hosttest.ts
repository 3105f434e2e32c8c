import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { CodeActions } from "../../../src/vscode/responses/code/codeActions.ts";

const before = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";
const code = "export function two() {\n  return 22;\n}\n";

/** Resolves as soon as `isThere` returns true, checking whenever tabs change. */
async function tabs(isThere: () => boolean): Promise<void> {
  if (isThere()) return;
  await new Promise<void>((resolve) => {
    const listener = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (!isThere()) return;
      listener.dispose();
      resolve();
    });
  });
}

function shownDiff(): vscode.TabInputTextDiff | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff ? input : undefined;
}

describe("Code actions in VS Code", () => {
  let actions: CodeActions;
  let uri: vscode.Uri;

  beforeEach(async () => {
    actions = new CodeActions();
    uri = vscode.Uri.file(join(mkdtempSync(join(tmpdir(), "code-")), "a.ts"));
    writeFileSync(uri.fsPath, before);
  });

  afterEach(async () => {
    actions.dispose();
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  async function propose(): Promise<void> {
    await actions.proposals.show({ uri, isNew: false }, code);
    await tabs(() => shownDiff() !== undefined);
  }

  it("write nothing until the diff is accepted, and then only the changed part", async () => {
    await propose();
    assert.equal(readFileSync(uri.fsPath, "utf8"), before);
    await actions.proposals.accept();
    assert.equal(readFileSync(uri.fsPath, "utf8"), before.replace("return 2", "return 22"));
    assert.equal(shownDiff(), undefined);
  });

  it("leave the file unchanged when the diff is rejected", async () => {
    await propose();
    await actions.proposals.reject();
    assert.equal(shownDiff(), undefined);
    assert.equal(readFileSync(uri.fsPath, "utf8"), before);
  });

  it("keep unsaved changes, and don't save them", async () => {
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), "// mine\n");
    await vscode.workspace.applyEdit(edit);
    await propose();
    await actions.proposals.accept();
    assert.equal(document.getText(), `// mine\n${before.replace("return 2", "return 22")}`);
    assert.equal(document.isDirty, true);
    assert.equal(readFileSync(uri.fsPath, "utf8"), before);
  });

  it("show the diff again if the file changed in the meantime", async () => {
    await propose();
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), "// mine\n");
    await vscode.workspace.applyEdit(edit);
    await actions.proposals.accept();
    assert.equal(document.getText(), `// mine\n${before}`);
    await tabs(() => shownDiff() !== undefined);
    await actions.proposals.accept();
    assert.equal(document.getText(), `// mine\n${before.replace("return 2", "return 22")}`);
  });

  it("create a new file only when it is accepted", async () => {
    const created = uri.with({ path: `${uri.path}.new.ts` });
    await actions.proposals.show({ uri: created, isNew: true }, code);
    await tabs(() => shownDiff() !== undefined);
    await assert.rejects(async () => await vscode.workspace.fs.stat(created));
    await actions.proposals.accept();
    assert.equal(readFileSync(created.fsPath, "utf8"), code);
  });

  it("insert at the cursor of the last active editor, even if its tab is hidden", async () => {
    const editor = await vscode.window.showTextDocument(uri);
    const fresh = new CodeActions();
    editor.selection = new vscode.Selection(1, 2, 1, 11);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: "other" }), {
      preview: false,
    });
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await fresh.run({ action: "insert", code: "const a = 1;\nreturn a;\n" });
    assert.equal(
      (await vscode.workspace.openTextDocument(uri)).getText(),
      before.replace("return 1;", "const a = 1;\n  return a;"),
    );
    fresh.dispose();
  });

  it("open an unsaved file in the language of the block", async () => {
    await actions.run({ action: "newFile", code: "x = 1\n", language: "py" });
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.getText(), "x = 1\n");
    assert.equal(document?.languageId, "python");
    assert.equal(document?.isUntitled, true);
  });
});
