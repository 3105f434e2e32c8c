import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { CodeActions } from "../../../src/vscode/responses/code/codeActions.ts";
import { MemoryFiles } from "./support/memoryFiles.ts";

const before = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";
const code = "export function two() {\n  return 22;\n}\n";

/**
 * Resolves as soon as `isThere` returns true, checking whenever tabs change. That a tab becomes the active one can be
 * reported as a change of its group alone: whichever comes last depends on how busy the machine is.
 */
async function tabs(isThere: () => boolean): Promise<void> {
  if (isThere()) return;
  const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (!isThere()) return;
      listeners.dispose();
      resolve();
    };
    const listeners = vscode.Disposable.from(onDidChangeTabs(check), onDidChangeTabGroups(check));
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

  it("apply the diff whose button was clicked, even if another editor is active by then", async () => {
    await propose();
    const proposal = shownDiff()?.modified;
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: "other" }), {
      preview: false,
    });
    await actions.proposals.accept(proposal);
    assert.equal(readFileSync(uri.fsPath, "utf8"), before.replace("return 2", "return 22"));
    assert.equal(vscode.window.activeTextEditor?.document.getText(), "other");
  });

  it("keep the line ends, the byte order mark, and the blank lines at the start of a file", async () => {
    for (const [first, lineEnd] of [
      ["\ufeff", "\r\n"],
      ["\n\n", "\n"],
      ["\ufeff\r\n", "\r\n"],
    ] as const) {
      const text = first + before.replaceAll("\n", lineEnd);
      uri = uri.with({ path: `${uri.path}.ts` });
      writeFileSync(uri.fsPath, text);
      await propose();
      await actions.proposals.accept();
      assert.equal(readFileSync(uri.fsPath, "utf8"), text.replace("return 2", "return 22"));
      await actions.proposals.show({ uri, isNew: false }, `// first\n${before}`);
      await tabs(() => shownDiff() !== undefined);
      await actions.proposals.accept();
      const mark = first.startsWith("\ufeff") ? "\ufeff" : "";
      const whole = `// first\n${before}`.replaceAll("\n", lineEnd);
      assert.equal(readFileSync(uri.fsPath, "utf8"), mark + whole);
    }
  });

  it("apply a diff once, even if its button is clicked again while the file is being saved", async () => {
    await propose();
    const { showWarningMessage } = vscode.window;
    const warnings: unknown[] = [];
    Reflect.set(vscode.window, "showWarningMessage", async (text: unknown) => void warnings.push(text));
    let again: Promise<void> | undefined;
    const saving = vscode.workspace.onWillSaveTextDocument((event) =>
      event.waitUntil((again = actions.proposals.accept())),
    );
    try {
      await actions.proposals.accept();
      assert.ok(again);
      await again;
    } finally {
      saving.dispose();
      Reflect.set(vscode.window, "showWarningMessage", showWarningMessage);
    }
    assert.deepEqual(warnings, []);
    assert.equal(readFileSync(uri.fsPath, "utf8"), before.replace("return 2", "return 22"));
    assert.equal(shownDiff(), undefined);
  });

  it("apply a diff that was moved to another group of editors", async () => {
    // A group without editors is closed, so that the only editor can't be moved to a second group.
    await vscode.window.showTextDocument(uri, { preview: false });
    await propose();
    await vscode.commands.executeCommand("workbench.action.moveEditorToNextGroup");
    await tabs(() => shownDiff() !== undefined && vscode.window.tabGroups.activeTabGroup.viewColumn === 2);
    await actions.proposals.accept();
    assert.equal(readFileSync(uri.fsPath, "utf8"), before.replace("return 2", "return 22"));
  });

  describe("on a file that can't be written", () => {
    const files = new MemoryFiles();
    const shown = { warnings: [] as unknown[], errors: [] as unknown[] };
    const { showWarningMessage, showErrorMessage } = vscode.window;
    let registration: vscode.Disposable;

    beforeEach(() => {
      registration = vscode.workspace.registerFileSystemProvider("code-actions", files);
      Object.assign(files, { isFull: false, isReadonly: false });
      Object.assign(shown, { warnings: [], errors: [] });
      uri = vscode.Uri.parse("code-actions:/a.ts");
      files.writeFile(uri, Buffer.from(before));
      Reflect.set(
        vscode.window,
        "showWarningMessage",
        async (text: unknown) => void shown.warnings.push(text),
      );
      Reflect.set(vscode.window, "showErrorMessage", async (text: unknown) => void shown.errors.push(text));
    });
    afterEach(async () => {
      Object.assign(vscode.window, { showWarningMessage, showErrorMessage });
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      registration.dispose();
    });

    it("explain that the change is applied but not saved, and undo it in one step", async () => {
      await propose();
      files.isFull = true;
      await actions.proposals.accept();
      assert.equal(shownDiff(), undefined);
      const document = vscode.window.activeTextEditor?.document;
      assert.equal(document?.getText(), before.replace("return 2", "return 22"));
      assert.equal(document?.isDirty, true);
      assert.equal(Buffer.from(files.readFile(uri)).toString(), before);
      assert.match(String(shown.warnings), /was applied to .*a\.ts, but the file couldn't be saved/);
      assert.deepEqual(shown.errors, []);
      await vscode.commands.executeCommand("undo");
      assert.equal(document?.getText(), before);
    });

    it("change nothing if the file has become read-only since the diff was shown", async () => {
      await propose();
      files.isReadonly = true;
      await actions.proposals.accept();
      assert.ok(shownDiff());
      assert.match(String(shown.errors), /a\.ts is read-only and can't be edited/);
      assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), before);
    });
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
