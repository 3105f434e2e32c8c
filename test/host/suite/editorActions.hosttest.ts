import assert from "node:assert/strict";
import * as vscode from "vscode";
import { attachSelection } from "../../../src/vscode/compose/context/attachFiles.ts";
import { VersionDiff } from "../../../src/vscode/conversation/versionDiff.ts";
import { LastEditor } from "../../../src/vscode/shell/lastEditor.ts";
import { createSession } from "../../core/conversation/createSession.ts";
import { EditedCode, code, end, eventually, run, send } from "./support/editedCode.ts";
import { MemoryFiles } from "./support/memoryFiles.ts";

const fixed = "  return 22;";

function shownEdit(): vscode.TabInputTextDiff | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff && input.modified.scheme === "inference-gateway-edit"
    ? input
    : undefined;
}

/** The text on the right side of the diff. */
function proposedText(): string | undefined {
  const uri = shownEdit()?.modified.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri)?.getText();
}

describe("Editor actions in VS Code", () => {
  const edited = new EditedCode();
  const problems = vscode.languages.createDiagnosticCollection("editor-actions-test");
  afterEach(() => problems.clear());
  after(() => problems.dispose());

  /** Starts a change to the line that returns 2. */
  function startFix(): Thenable<unknown> {
    return run("fixCode", { uri: edited.document.uri, range: new vscode.Range(5, 0, 5, 11) });
  }

  async function edit(offset: number, text: string): Promise<void> {
    const change = new vscode.WorkspaceEdit();
    change.insert(edited.document.uri, edited.document.positionAt(offset), text);
    assert.ok(await vscode.workspace.applyEdit(change));
  }

  it("show a fix as a diff that is applied in one step and undone in one step", async () => {
    const problem = new vscode.Diagnostic(new vscode.Range(5, 9, 5, 10), "Must be 22.");
    problems.set(edited.document.uri, [problem]);
    edited.respondWith("```\n  return 22;\n```");
    await startFix();
    assert.equal(edited.document.getText(), code);
    await eventually("the diff", () => proposedText() === code.replace("  return 2;", fixed));
    const [body = ""] = edited.asked;
    assert.match(body, /Must be 22\./);
    assert.match(body, /code\.txt`, language `plaintext`/);
    assert.ok(!body.includes(edited.folder), "The absolute path was sent.");
    await run("acceptProposal");
    assert.equal(edited.document.getText(), code.replace("  return 2;", fixed));
    assert.equal(shownEdit(), undefined);
    assert.equal(vscode.window.activeTextEditor?.document, edited.document);
    await vscode.commands.executeCommand("undo");
    assert.equal(edited.document.getText(), code);
  });

  it("attach what is selected in the file, not in a comparison of two versions that was opened after it", async () => {
    const { session } = createSession();
    for (const text of ["first", "second"]) {
      const [old] = session.state.messages;
      if (old === undefined) session.send(text);
      else session.edit(old.id, text, []);
      await session.stopAll();
    }
    const editor = await vscode.window.showTextDocument(edited.document);
    editor.selection = new vscode.Selection(5, 2, 5, 11);
    const lastEditor = new LastEditor();
    const versions = new VersionDiff();
    await versions.show(session, session.state.messages[0]?.id ?? "");
    await eventually(
      "the comparison",
      () => vscode.window.activeTextEditor?.document.uri.scheme === "inference-gateway-message",
    );
    const { parts } = await attachSelection(lastEditor.last);
    assert.match(JSON.stringify(parts), /return 2;/);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    lastEditor.dispose();
    versions.dispose();
  });

  it("leave the document untouched when a change is rejected or its diff is closed", async () => {
    edited.respondWith(fixed);
    for (const close of [
      () => run("rejectProposal"),
      () => vscode.commands.executeCommand("workbench.action.closeActiveEditor"),
    ]) {
      await startFix();
      await eventually("the diff", () => proposedText()?.includes(fixed));
      await close();
      await eventually("the end of the diff", () => shownEdit() === undefined);
      assert.equal(edited.document.getText(), code);
      assert.equal(edited.document.isDirty, false);
    }
  });

  it("apply a change once if its button is clicked twice", async () => {
    edited.respondWith(fixed);
    await startFix();
    await eventually("the diff", () => proposedText()?.includes(fixed));
    const { showWarningMessage } = vscode.window;
    const warnings: unknown[] = [];
    Reflect.set(vscode.window, "showWarningMessage", async (text: unknown) => void warnings.push(text));
    try {
      const { modified } = shownEdit() ?? assert.fail();
      await Promise.all([run("acceptProposal", modified), run("acceptProposal", modified)]);
    } finally {
      Reflect.set(vscode.window, "showWarningMessage", showWarningMessage);
    }
    assert.deepEqual(warnings, []);
    assert.equal(edited.document.getText(), code.replace("  return 2;", fixed));
  });

  it("apply no change if the button of a diff of another kind was clicked", async () => {
    edited.respondWith(fixed);
    await startFix();
    await eventually("the diff", () => proposedText()?.includes(fixed));
    const other = vscode.Uri.from({
      scheme: "inference-gateway-proposal",
      path: "/code.txt",
      query: "other",
    });
    for (const command of ["acceptProposal", "rejectProposal"]) await run(command, other);
    assert.equal(edited.document.getText(), code);
    assert.ok(shownEdit());
    await run("acceptProposal", shownEdit()?.modified);
    assert.equal(edited.document.getText(), code.replace("  return 2;", fixed));
  });

  it("apply a change where its lines are after an edit elsewhere", async () => {
    edited.respondWith(fixed);
    await startFix();
    await edit(0, "// mine\n");
    await eventually(
      "the diff",
      () => proposedText()?.startsWith("// mine\n") && proposedText()?.includes(fixed),
    );
    await run("acceptProposal");
    assert.equal(edited.document.getText(), `// mine\n${code.replace("  return 2;", fixed)}`);
  });

  it("refuse a change whose lines were edited in the meantime, until that is undone", async () => {
    edited.respondWith(fixed);
    await startFix();
    await eventually("the diff", () => proposedText()?.includes(fixed));
    await edit(code.indexOf("return 2"), "/* mine */ ");
    const { showWarningMessage } = vscode.window;
    const warnings: unknown[] = [];
    Reflect.set(vscode.window, "showWarningMessage", async (text: unknown) => void warnings.push(text));
    try {
      await run("acceptProposal");
    } finally {
      Reflect.set(vscode.window, "showWarningMessage", showWarningMessage);
    }
    assert.match(String(warnings), /The lines in code\.txt have changed since the edit was requested/);
    assert.equal(edited.document.getText(), code.replace("return 2", "/* mine */ return 2"));
    assert.ok(shownEdit());
    const undo = new vscode.WorkspaceEdit();
    const start = edited.document.positionAt(edited.document.getText().indexOf("/* mine */"));
    undo.delete(edited.document.uri, new vscode.Range(start, start.translate(0, 11)));
    await vscode.workspace.applyEdit(undo);
    await run("acceptProposal");
    assert.equal(edited.document.getText(), code.replace("  return 2;", fixed));
  });

  /** Starts a change whose response ends only when the returned function is called. */
  async function startSlowFix(uri = edited.document.uri): Promise<() => Promise<void>> {
    let rest: (() => void) | undefined;
    edited.respond = (response) => {
      send(response, "```\n  return");
      rest = () => {
        send(response, " 22;\n```");
        end(response);
      };
    };
    const started = run("fixCode", { uri, range: new vscode.Range(5, 0, 5, 11) });
    await eventually("the diff", () => shownEdit() !== undefined && rest !== undefined);
    return async () => {
      rest?.();
      await started;
    };
  }

  it("change the lines for which they were requested, whatever is open and selected by then", async () => {
    const finish = await startSlowFix();
    const proposal = shownEdit()?.modified;
    // The same lines at the same place in another document, and a selection elsewhere in both.
    const other = await vscode.workspace.openTextDocument({ content: code });
    const otherEditor = await vscode.window.showTextDocument(other, { preview: false });
    otherEditor.selection = new vscode.Selection(5, 0, 5, 11);
    const editor = await vscode.window.showTextDocument(edited.document, vscode.ViewColumn.Two);
    editor.selection = new vscode.Selection(1, 0, 1, 11);
    await vscode.window.showTextDocument(other, vscode.ViewColumn.One);
    await finish();
    await run("acceptProposal", proposal);
    assert.equal(edited.document.getText(), code.replace("  return 2;", fixed));
    assert.equal(other.getText(), code);
    assert.equal(vscode.window.activeTextEditor?.document, edited.document);
  });

  it("change the document although its editor was closed while the response was streaming", async () => {
    const finish = await startSlowFix();
    const editors = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
    const own = editors.filter(
      ({ input }) =>
        input instanceof vscode.TabInputText && input.uri.toString() === edited.document.uri.toString(),
    );
    await vscode.window.tabGroups.close(own);
    await finish();
    await run("acceptProposal");
    const { activeTextEditor } = vscode.window;
    assert.equal(activeTextEditor?.document.uri.toString(), edited.document.uri.toString());
    assert.equal(activeTextEditor.document.getText(), code.replace("  return 2;", fixed));
    await vscode.commands.executeCommand("undo");
    assert.equal(activeTextEditor.document.getText(), code);
  });

  describe("on a file that changes its state while the response is streaming", () => {
    const files = new MemoryFiles();
    const uri = vscode.Uri.parse("editor-actions:/code.txt");
    const { showWarningMessage } = vscode.window;
    let warnings: unknown[] = [];
    let registration: vscode.Disposable;

    beforeEach(async () => {
      registration = vscode.workspace.registerFileSystemProvider(uri.scheme, files);
      Object.assign(files, { isReadonly: false });
      files.writeFile(uri, Buffer.from(code));
      warnings = [];
      Reflect.set(vscode.window, "showWarningMessage", async (text: unknown) => void warnings.push(text));
      await vscode.window.showTextDocument(uri);
    });
    afterEach(() => {
      Object.assign(vscode.window, { showWarningMessage });
      registration.dispose();
    });

    it("leave it as it is if it has become read-only, and keep the proposed code", async () => {
      const finish = await startSlowFix(uri);
      files.isReadonly = true;
      await finish();
      await run("acceptProposal");
      assert.match(String(warnings), /code\.txt is read-only/);
      assert.ok(shownEdit());
      assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), code);
    });
  });

  it("close the socket when stopped, and keep the lines that weren't reached", async () => {
    const closed = new Promise<void>((resolve) => {
      edited.respond = (response) => {
        response.on("close", () => resolve());
        send(response, "```\nexport function two() {\n  const two = ");
      };
    });
    const started = run("fixCode", { uri: edited.document.uri, range: new vscode.Range(4, 0, 6, 1) });
    await eventually("the partial text", () => proposedText()?.includes("const two ="));
    // The palette's command, which also stops chats.
    await run("stop");
    await closed;
    await started;
    assert.equal(proposedText(), code.replace("  return 2;", "  const two = \n  return 2;"));
    assert.equal(edited.document.getText(), code);
  });

  it("close the socket when the group of editors with the diff is closed", async () => {
    const closed = new Promise<void>((resolve) => {
      edited.respond = (response) => {
        response.on("close", () => resolve());
        send(response, "```\n  return two");
      };
    });
    const started = startFix();
    await eventually("the partial text", () => proposedText()?.includes("return two"));
    await vscode.commands.executeCommand("workbench.action.moveEditorToNextGroup");
    await eventually("the second group", () => vscode.window.tabGroups.activeTabGroup.viewColumn === 2);
    assert.ok(await eventually("the moved diff", () => shownEdit()));
    await vscode.commands.executeCommand("workbench.action.closeEditorsAndGroup");
    await closed;
    await started;
    assert.equal(edited.document.getText(), code);
  });

  it("don't apply a response that was cut off without asking", async () => {
    edited.respondWith("```\n  return 22;", "length");
    await startFix();
    await eventually("the diff", () => proposedText()?.includes(fixed));
    // Dialogs are refused in tests, which counts as declining.
    await Promise.resolve(run("acceptProposal")).catch(() => undefined);
    assert.equal(edited.document.getText(), code);
  });

  it("refuse a document that can't be changed, without sending anything", async () => {
    const provider = vscode.workspace.registerTextDocumentContentProvider("editor-test", {
      provideTextDocumentContent: () => code,
    });
    const uri = vscode.Uri.parse("editor-test:/old.ts");
    await vscode.workspace.openTextDocument(uri);
    await run("fixCode", { uri, range: new vscode.Range(5, 0, 5, 11) });
    assert.equal(shownEdit(), undefined);
    assert.deepEqual(edited.asked, []);
    provider.dispose();
  });

  it("are offered for problems and selections, and not for every cursor", async () => {
    const titles = async (range: vscode.Range): Promise<readonly string[]> => {
      const found: readonly vscode.CodeAction[] = await vscode.commands.executeCommand(
        "vscode.executeCodeActionProvider",
        edited.document.uri,
        range,
      );
      return found.map(({ title }) => title).filter((title) => title.includes("Inference Gateway"));
    };
    const cursor = new vscode.Range(5, 3, 5, 3);
    assert.deepEqual(await titles(cursor), []);
    problems.set(edited.document.uri, [new vscode.Diagnostic(new vscode.Range(5, 0, 5, 9), "Wrong.")]);
    assert.deepEqual(await titles(cursor), ["Fix with Inference Gateway"]);
    problems.clear();
    assert.deepEqual(await titles(new vscode.Range(5, 0, 5, 9)), [
      "Edit with Inference Gateway…",
      "Explain with Inference Gateway",
    ]);
  });

  it("send code with a question in a new chat", async () => {
    edited.respondWith("It returns 2.");
    await run("explainCode", { uri: edited.document.uri, range: new vscode.Range(5, 0, 5, 11) });
    await eventually("the request", () =>
      edited.asked.find((body) => body.includes("Explain the attached code")),
    );
    assert.match(edited.asked.join("\n"), /Selection `[^`]*code\.txt`, line 6:[^]*return 2;/);
  });

  it("change a notebook cell, with the error of its output", async () => {
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, "print(a)\nprint(b)", "python");
    cell.outputs = [
      new vscode.NotebookCellOutput([
        vscode.NotebookCellOutputItem.error({ name: "NameError", message: "a isn't defined", stack: "" }),
      ]),
    ];
    const notebook = await vscode.workspace.openNotebookDocument(
      "jupyter-notebook",
      new vscode.NotebookData([cell]),
    );
    await vscode.window.showNotebookDocument(notebook);
    edited.respondWith("```python\na = 1\nprint(a)\nprint(b)\n```");
    await run("fixCode", notebook.cellAt(0));
    await eventually("the diff", () => proposedText() === "a = 1\nprint(a)\nprint(b)");
    assert.match(edited.asked.join("\n"), /NameError: a isn't defined/);
    await run("acceptProposal");
    assert.equal(notebook.cellAt(0).document.getText(), "a = 1\nprint(a)\nprint(b)");
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });
});
