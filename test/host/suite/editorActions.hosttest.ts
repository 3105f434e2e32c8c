import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { activateExtension } from "./support/extensionContext.ts";
import { MemoryFiles } from "./support/memoryFiles.ts";

const code = "export function one() {\n  return 1;\n}\n\nexport function two() {\n  return 2;\n}\n";
const fixed = "  return 22;";

const run = (name: string, ...values: readonly unknown[]): Thenable<unknown> =>
  vscode.commands.executeCommand(`inferenceGateway.${name}`, ...values);
const configuration = (): vscode.WorkspaceConfiguration =>
  vscode.workspace.getConfiguration("inferenceGateway");

/** A value that appears after a while. */
async function eventually<T>(what: string, find: () => T | undefined): Promise<T> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`Waited in vain: ${what}`);
}

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
  let server: TestServer;
  let folder: string;
  let document: vscode.TextDocument;
  const problems = vscode.languages.createDiagnosticCollection("editor-actions-test");
  /** The bodies of the requests. */
  const asked: string[] = [];
  /** Writes the response. */
  let respond: (response: ServerResponse) => void = () => undefined;

  const send = (response: ServerResponse, text: string): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
  const end = (response: ServerResponse, reason = "stop"): void =>
    void response.end(
      `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: reason }] })}\n\ndata: [DONE]\n\n`,
    );
  function respondWith(text: string, reason?: string): void {
    respond = (response) => {
      for (const piece of text.match(/[^]{1,5}/g) ?? []) send(response, piece);
      end(response, reason);
    };
  }

  before(async () => {
    await activateExtension();
    server = await startServer(async (request, response) => {
      if (request.method === "GET") return void response.end('{"data":[{"id":"lab/editor"}]}');
      asked.push(await readRequestBody(request));
      response.writeHead(200, { "content-type": "text/event-stream" });
      respond(response);
    });
    const profiles = [{ name: "Editor", inferenceBaseUrl: `${server.url}/v1` }];
    await configuration().update("profiles", profiles, vscode.ConfigurationTarget.Global);
    await configuration().update("activeProfile", "Editor", vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    problems.dispose();
    await configuration().update("profiles", undefined, vscode.ConfigurationTarget.Global);
    await configuration().update("activeProfile", undefined, vscode.ConfigurationTarget.Global);
    await server.close();
  });

  beforeEach(async () => {
    asked.splice(0);
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? tmpdir();
    folder = realpathSync(mkdtempSync(join(workspace, "editor-")));
    const uri = vscode.Uri.file(join(folder, "code.txt"));
    writeFileSync(uri.fsPath, code);
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  });

  afterEach(async () => {
    problems.clear();
    await run("stopEditorRequest");
    if (document.isDirty) await document.save();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a change to the line that returns 2. */
  function startFix(): Thenable<unknown> {
    return run("fixCode", { uri: document.uri, range: new vscode.Range(5, 0, 5, 11) });
  }

  async function edit(offset: number, text: string): Promise<void> {
    const change = new vscode.WorkspaceEdit();
    change.insert(document.uri, document.positionAt(offset), text);
    assert.ok(await vscode.workspace.applyEdit(change));
  }

  it("show a fix as a diff that is applied in one step and undone in one step", async () => {
    const problem = new vscode.Diagnostic(new vscode.Range(5, 9, 5, 10), "Must be 22.");
    problems.set(document.uri, [problem]);
    respondWith("```\n  return 22;\n```");
    await startFix();
    assert.equal(document.getText(), code);
    await eventually("the diff", () => proposedText() === code.replace("  return 2;", fixed));
    const [body = ""] = asked;
    assert.match(body, /Must be 22\./);
    assert.match(body, /code\.txt`, language `plaintext`/);
    assert.ok(!body.includes(folder), "The absolute path was sent.");
    await run("acceptProposal");
    assert.equal(document.getText(), code.replace("  return 2;", fixed));
    assert.equal(shownEdit(), undefined);
    assert.equal(vscode.window.activeTextEditor?.document, document);
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), code);
  });

  it("leave the document untouched when a change is rejected or its diff is closed", async () => {
    respondWith(fixed);
    for (const close of [
      () => run("rejectProposal"),
      () => vscode.commands.executeCommand("workbench.action.closeActiveEditor"),
    ]) {
      await startFix();
      await eventually("the diff", () => proposedText()?.includes(fixed));
      await close();
      await eventually("the end of the diff", () => shownEdit() === undefined);
      assert.equal(document.getText(), code);
      assert.equal(document.isDirty, false);
    }
  });

  it("apply a change where its lines are after an edit elsewhere", async () => {
    respondWith(fixed);
    await startFix();
    await edit(0, "// mine\n");
    await eventually(
      "the diff",
      () => proposedText()?.startsWith("// mine\n") && proposedText()?.includes(fixed),
    );
    await run("acceptProposal");
    assert.equal(document.getText(), `// mine\n${code.replace("  return 2;", fixed)}`);
  });

  it("refuse a change whose lines were edited in the meantime, until that is undone", async () => {
    respondWith(fixed);
    await startFix();
    await eventually("the diff", () => proposedText()?.includes(fixed));
    await edit(code.indexOf("return 2"), "/* mine */ ");
    // The warning stays open until it is answered.
    void run("acceptProposal");
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(document.getText(), code.replace("return 2", "/* mine */ return 2"));
    assert.ok(shownEdit());
    const undo = new vscode.WorkspaceEdit();
    const start = document.positionAt(document.getText().indexOf("/* mine */"));
    undo.delete(document.uri, new vscode.Range(start, start.translate(0, 11)));
    await vscode.workspace.applyEdit(undo);
    await run("acceptProposal");
    assert.equal(document.getText(), code.replace("  return 2;", fixed));
  });

  /** Starts a change whose response ends only when the returned function is called. */
  async function startSlowFix(uri = document.uri): Promise<() => Promise<void>> {
    let rest: (() => void) | undefined;
    respond = (response) => {
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
    const editor = await vscode.window.showTextDocument(document, vscode.ViewColumn.Two);
    editor.selection = new vscode.Selection(1, 0, 1, 11);
    await vscode.window.showTextDocument(other, vscode.ViewColumn.One);
    await finish();
    await run("acceptProposal", proposal);
    assert.equal(document.getText(), code.replace("  return 2;", fixed));
    assert.equal(other.getText(), code);
    assert.equal(vscode.window.activeTextEditor?.document, document);
  });

  it("change the document although its editor was closed while the response was streaming", async () => {
    const finish = await startSlowFix();
    const editors = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
    const own = editors.filter(
      ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString(),
    );
    await vscode.window.tabGroups.close(own);
    await finish();
    await run("acceptProposal");
    const { activeTextEditor } = vscode.window;
    assert.equal(activeTextEditor?.document.uri.toString(), document.uri.toString());
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
      respond = (response) => {
        response.on("close", () => resolve());
        send(response, "```\nexport function two() {\n  const two = ");
      };
    });
    const started = run("documentCode", { uri: document.uri, range: new vscode.Range(4, 0, 6, 1) });
    await eventually("the partial text", () => proposedText()?.includes("const two ="));
    // The palette's command, which also stops chats.
    await run("stop");
    await closed;
    await started;
    assert.equal(proposedText(), code.replace("  return 2;", "  const two = \n  return 2;"));
    assert.equal(document.getText(), code);
  });

  it("close the socket when the group of editors with the diff is closed", async () => {
    const closed = new Promise<void>((resolve) => {
      respond = (response) => {
        response.on("close", () => resolve());
        send(response, "```\n  return");
      };
    });
    const started = startFix();
    await eventually("the partial text", () => proposedText()?.includes("return"));
    await vscode.commands.executeCommand("workbench.action.moveEditorToNextGroup");
    await eventually("the second group", () => vscode.window.tabGroups.activeTabGroup.viewColumn === 2);
    assert.ok(await eventually("the moved diff", () => shownEdit()));
    await vscode.commands.executeCommand("workbench.action.closeEditorsAndGroup");
    await closed;
    await started;
    assert.equal(document.getText(), code);
  });

  it("don't apply a response that was cut off without asking", async () => {
    respondWith("```\n  return 22;", "length");
    await startFix();
    await eventually("the diff", () => proposedText()?.includes(fixed));
    // Dialogs are refused in tests, which counts as declining.
    await Promise.resolve(run("acceptProposal")).catch(() => undefined);
    assert.equal(document.getText(), code);
  });

  it("refuse a document that can't be changed, without sending anything", async () => {
    const provider = vscode.workspace.registerTextDocumentContentProvider("editor-test", {
      provideTextDocumentContent: () => code,
    });
    const uri = vscode.Uri.parse("editor-test:/old.ts");
    await vscode.workspace.openTextDocument(uri);
    await run("fixCode", { uri, range: new vscode.Range(5, 0, 5, 11) });
    assert.equal(shownEdit(), undefined);
    assert.deepEqual(asked, []);
    provider.dispose();
  });

  it("are offered for problems and selections, and not for every cursor", async () => {
    const titles = async (range: vscode.Range): Promise<readonly string[]> => {
      const found: readonly vscode.CodeAction[] = await vscode.commands.executeCommand(
        "vscode.executeCodeActionProvider",
        document.uri,
        range,
      );
      return found.map(({ title }) => title).filter((title) => title.includes("Inference Gateway"));
    };
    const cursor = new vscode.Range(5, 3, 5, 3);
    assert.deepEqual(await titles(cursor), []);
    problems.set(document.uri, [new vscode.Diagnostic(new vscode.Range(5, 0, 5, 9), "Wrong.")]);
    assert.deepEqual(await titles(cursor), ["Fix with Inference Gateway"]);
    problems.clear();
    assert.equal((await titles(new vscode.Range(5, 0, 5, 9))).length, 5);
  });

  it("send code with a question in a new chat", async () => {
    respondWith("It returns 2.");
    await run("explainCode", { uri: document.uri, range: new vscode.Range(5, 0, 5, 11) });
    await eventually("the request", () => asked.find((body) => body.includes("Explain the attached code")));
    assert.match(asked.join("\n"), /Selection `[^`]*code\.txt`, line 6:[^]*return 2;/);
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
    respondWith("```python\na = 1\nprint(a)\nprint(b)\n```");
    await run("fixCode", notebook.cellAt(0));
    await eventually("the diff", () => proposedText() === "a = 1\nprint(a)\nprint(b)");
    assert.match(asked.join("\n"), /NameError: a isn't defined/);
    await run("acceptProposal");
    assert.equal(notebook.cellAt(0).document.getText(), "a = 1\nprint(a)\nprint(b)");
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  describe("in Source Control", () => {
    interface Repository {
      readonly rootUri: vscode.Uri;
      readonly inputBox: { value: string };
    }

    function git(...args: readonly string[]): void {
      const identity = ["-c", "user.name=Example", "-c", "user.email=person@example.com"];
      execFileSync("git", ["-C", folder, ...identity, ...args]);
    }

    /** The repository in the folder with one staged change. */
    async function openRepository(): Promise<Repository> {
      git("init", "-q");
      git("add", ".");
      git("commit", "-qm", "feat: begin");
      writeFileSync(join(folder, "code.txt"), code.replace("return 2", "return 22"));
      git("add", ".");
      const extension = vscode.extensions.getExtension("vscode.git");
      const exported: { getAPI(version: 1): { readonly repositories: readonly Repository[] } } =
        await extension?.activate();
      await vscode.commands.executeCommand("git.openRepository", folder);
      return await eventually("the repository", () =>
        exported.getAPI(1).repositories.find(({ rootUri }) => basename(rootUri.fsPath) === basename(folder)),
      );
    }

    afterEach(async () => {
      await vscode.commands.executeCommand("git.close", vscode.Uri.file(folder));
    });

    it("write a commit message in the style of the repository", async () => {
      const { inputBox, rootUri } = await openRepository();
      respondWith("```\nfix: return 22\n```");
      await run("generateCommitMessage", { rootUri });
      // VS Code reports earlier values back a moment later, in order.
      await eventually("the message", () => inputBox.value === "fix: return 22");
      assert.match(asked.join("\n"), /\+  return 22;/);
      assert.match(asked.join("\n"), /feat: begin/);
    });

    it("write the whole commit message when it arrives slowly, although VS Code reports its beginnings as typed", async () => {
      const { inputBox, rootUri } = await openRepository();
      const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
      respond = (response) => {
        const rest = [...words];
        const timer = setInterval(() => {
          const word = rest.shift();
          if (word !== undefined) return send(response, `${word} `);
          clearInterval(timer);
          end(response);
        }, 25);
      };
      await run("generateCommitMessage", { rootUri });
      await eventually("the message", () => inputBox.value === words.join(" "));
    });

    it("leave the box as it was when a message is stopped, and don't overwrite what is typed", async () => {
      const { inputBox, rootUri } = await openRepository();
      let later: (() => void) | undefined;
      respond = (response) => {
        send(response, "fix: partial");
        later = () => send(response, " more");
      };
      const stopped = run("generateCommitMessage", { rootUri });
      await eventually("the partial message", () => inputBox.value === "fix: partial");
      await run("stopEditorRequest", { rootUri });
      await stopped;
      assert.equal(inputBox.value, "");
      const typed = run("generateCommitMessage", { rootUri });
      await eventually("the partial message", () => inputBox.value === "fix: partial");
      // VS Code reports a value that was set back to the extension host. Its reports have all arrived once a command of
      // the workbench has run: until then, an earlier report could replace the user's text as seen by extensions.
      await vscode.commands.executeCommand("setContext", "inferenceGateway.test.reported", true);
      inputBox.value = "mine";
      await vscode.commands.executeCommand("setContext", "inferenceGateway.test.reported", true);
      later?.();
      await typed;
      assert.equal(inputBox.value, "mine");
    });
  });
});
