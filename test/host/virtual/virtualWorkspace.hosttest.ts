import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Composition, ContextToWebview } from "../../../src/core/compose/context/contextProtocol.ts";
import { ChatSession } from "../../../src/core/conversation/chatSession.ts";
import { temporaryStore } from "../../support/storeFolder.ts";
import {
  PanelAttachments,
  parseDroppedUris,
} from "../../../src/vscode/compose/attachments/panelAttachments.ts";
import { composePrompt } from "../../../src/vscode/compose/commands/commandChoices.ts";
import { readPromptFiles } from "../../../src/vscode/compose/commands/promptFiles.ts";
import { contextChoices } from "../../../src/vscode/compose/context/contextChoices.ts";
import { ContextTools } from "../../../src/vscode/compose/context/contextSuggestions.ts";
import { ContextDocuments } from "../../../src/vscode/compose/context/openContext.ts";
import { CodeActions } from "../../../src/vscode/responses/code/codeActions.ts";
import { chooseFormat } from "../../../src/vscode/responses/structured/structuredOutput.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import { resolveFile } from "../../../src/vscode/shell/fileBoundary.ts";

const root = vscode.Uri.parse("memfs:/project");
const at = (path: string): vscode.Uri => vscode.Uri.joinPath(root, path);
const never = new vscode.CancellationTokenSource().token;

describe("A workspace that exists only in a file system provider", () => {
  const restores: (() => void)[] = [];

  afterEach(async () => {
    for (const restore of restores.splice(0)) restore();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  /** Replaces a function of VS Code's window, and returns the arguments of its calls. */
  function replace(
    name: keyof typeof vscode.window,
    answer: (...call: unknown[]) => unknown,
  ): (readonly unknown[])[] {
    const calls: (readonly unknown[])[] = [];
    const before = vscode.window[name];
    Reflect.set(vscode.window, name, (...call: unknown[]) => {
      calls.push(call);
      return Promise.resolve(answer(...call));
    });
    restores.push(() => Reflect.set(vscode.window, name, before));
    return calls;
  }

  async function pick(query: string, label: string, editor?: vscode.TextEditor): Promise<Composition> {
    const servers = (): never => assert.fail("No servers are needed.");
    const choices = await contextChoices(query, editor, never, servers);
    const choice = choices.find(({ suggestion }) => suggestion.label === label);
    const labels = choices.map(({ suggestion }) => `${suggestion.label} (${suggestion.detail})`);
    assert.ok(choice?.pick !== undefined, `${label} is not among: ${labels.join(", ")}`);
    return await choice.pick();
  }

  function textOf({ parts, notice }: Composition): string {
    return [
      ...parts.map(({ title, text }) => `${title}\n${text}`),
      ...(notice === undefined ? [] : [notice]),
    ].join("\n");
  }

  it("is the only folder", () => {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    assert.deepEqual(folders, ["memfs:/project"]);
  });

  it("supports inline edits, without a local path", async () => {
    const asked: string[] = [];
    const server = await startServer(async (request, response) => {
      if (request.method === "GET") return void response.end('{"data":[{"id":"lab/editor"}]}');
      asked.push(await readRequestBody(request));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choices = [{ delta: { content: "two" }, finish_reason: "stop" }];
      response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
    });
    const settings = vscode.workspace.getConfiguration("inferenceGateway");
    const profiles = [{ name: "Editor", inferenceBaseUrl: `${server.url}/v1` }];
    await settings.update("profiles", profiles, vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.writeFile(at("edit.txt"), Buffer.from("one\n"));
    await vscode.commands.executeCommand("inferenceGateway.fixCode", {
      uri: at("edit.txt"),
      range: new vscode.Range(0, 0, 0, 3),
    });
    await vscode.commands.executeCommand("inferenceGateway.acceptProposal");
    const document = await vscode.workspace.openTextDocument(at("edit.txt"));
    assert.equal(document.getText(), "two\n");
    assert.match(asked.join(), /File `edit\.txt`/);
    await document.save();
    await settings.update("profiles", undefined, vscode.ConfigurationTarget.Global);
    await server.close();
  });

  it("lets the extension activate and open a chat", async () => {
    await vscode.commands.executeCommand("inferenceGateway.newChat");
    assert.equal(vscode.extensions.getExtension("inference-gateway.inference-gateway")?.isActive, true);
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputWebview);
  });

  it("offers its files and folders after #, although it can't be searched", async () => {
    assert.match(textOf(await pick("file:app", "app.py")), /src\/app\.py[^]*def total/);
    const listing = textOf(await pick("folder:src", "src"));
    assert.match(listing, /app\.py/);
    const whole = textOf(await pick("folder:", "project"));
    assert.match(whole, /README\.md/);
    assert.doesNotMatch(whole, /out\.txt/, "Git ignores it.");
  });

  it("attaches a suggestion that the page still shows while the next ones are on their way", async () => {
    const unused = (): never => assert.fail("It isn't needed.");
    const log = { debug: unused, info: unused, warn: unused, error: unused };
    const tools = new ContextTools(log, unused, unused);
    const conversation = { id: "c", title: "", createdAt: 0, updatedAt: 0, messages: [] };
    const session = new ChatSession(conversation, {
      completions: { complete: unused },
      store: temporaryStore(),
      now: () => 0,
      createId: () => "m",
      defaultModel: unused,
      reportError: unused,
    });
    let arrived: (message: ContextToWebview) => void = unused;
    const suggestions = tools.createSuggestions(session, (message) => arrived(message));
    restores.push(() => (suggestions.dispose(), tools.dispose()));
    const reply = (): Promise<ContextToWebview> => new Promise((resolve) => (arrived = resolve));
    const search = async (queryId: number, text: string): Promise<ContextToWebview> => {
      const found = reply();
      void suggestions.suggest({ type: "suggest", queryId, trigger: "#", text });
      return await found;
    };
    const shown = await search(1, "file:ap");
    await search(2, "file:app");
    const [item] = shown.type === "suggestions" ? shown.items : [];
    const attached = reply();
    void suggestions.pick(item?.id ?? "");
    suggestions.end();
    const composed = await attached;
    assert.match(composed.type === "compose" ? textOf(composed) : "", /src\/app\.py[^]*def total/);
  });

  it("provides selections, symbols, problems and open editors", async () => {
    const editor = await vscode.window.showTextDocument(at("src/app.py"));
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    assert.match(textOf(await pick("selection", "Selection", editor)), /src\/app\.py:1-2[^]*return sum/);
    const symbols = vscode.languages.registerDocumentSymbolProvider(
      { scheme: "memfs" },
      {
        provideDocumentSymbols: (document) => {
          const range = new vscode.Range(4, 0, 5, document.lineAt(5).text.length);
          return [new vscode.DocumentSymbol("main", "", vscode.SymbolKind.Function, range, range)];
        },
      },
    );
    const problems = vscode.languages.createDiagnosticCollection("virtual");
    problems.set(at("src/app.py"), [new vscode.Diagnostic(new vscode.Range(1, 4, 1, 10), "Not a number")]);
    restores.push(
      () => symbols.dispose(),
      () => problems.dispose(),
    );
    assert.match(textOf(await pick("symbol:main", "main", editor)), /src\/app\.py[^]*print\(total/);
    assert.match(textOf(await pick("problems", "Problems", editor)), /src\/app\.py[^]*Not a number/);
    assert.match(textOf(await pick("editors", "Open editors", editor)), /def total/);
  });

  it("provides what is selected in a terminal, which opens on this machine", async () => {
    const written = new vscode.EventEmitter<string>();
    const pty = {
      onDidWrite: written.event,
      open: () => written.fire("one two\r\n"),
      close: () => undefined,
    };
    const terminal = vscode.window.createTerminal({ name: "virtual", pty });
    restores.push(() => terminal.dispose());
    terminal.show();
    for (let attempt = 0; attempt < 300; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await vscode.commands.executeCommand("workbench.action.terminal.selectAll");
      const { parts } = await pick("terminal", "Terminal selection");
      if (parts.length > 0) return assert.match(parts[0]?.text ?? "", /one two/);
    }
    assert.fail("Nothing was copied.");
  });

  it("explains that Git has no repository there instead of offering nothing", async () => {
    const servers = (): never => assert.fail("No servers are needed.");
    const [row] = await contextChoices("changes", undefined, never, servers);
    assert.equal(row?.suggestion.isUnavailable, true);
    assert.match(row?.suggestion.detail ?? "", /No Git repository is open in project/);
  });

  it("asks before reading a file with secrets, an ignored file, or the target of a link", async () => {
    const questions = replace("showWarningMessage", () => undefined);
    for (const path of [".env", "build/out.txt", "key-link.txt", "linked/key.txt"]) {
      questions.length = 0;
      const { isInside } = await resolveFile(at(path));
      assert.equal(isInside, !path.includes("link"), path);
      const { attachFiles } = await import("../../../src/vscode/compose/context/attachFiles.ts");
      assert.deepEqual((await attachFiles([at(path)], "page")).parts, [], path);
      assert.equal(questions.length, 1, path);
    }
    const [, options] = questions[0] ?? [];
    assert.match(JSON.stringify(options), /reached through the link memfs:\/project\/linked/);
  });

  it("can't be left by dots in an address", async () => {
    const dotted = root.with({ path: "/project/../secrets/key.txt" });
    const { isInside, real } = await resolveFile(dotted);
    assert.deepEqual([isInside, real.path], [false, "/secrets/key.txt"]);
    const windows = await resolveFile(root.with({ path: "/project/..\\..\\secrets\\key.txt" }));
    assert.deepEqual([windows.isInside, windows.leavesWorkspace], [false, true]);
  });

  it("has prompt files, whose references are read and whose links require confirmation", async () => {
    const prompts = await readPromptFiles();
    assert.deepEqual(
      prompts.map(({ name, description }) => [name, description]),
      [["review", "Reviews a file"]],
    );
    const questions = replace("showWarningMessage", () => undefined);
    const [prompt] = prompts;
    assert.ok(prompt !== undefined);
    const composition = await composePrompt(prompt, undefined);
    assert.match(textOf(composition), /def total/);
    assert.doesNotMatch(textOf(composition), /outside the workspace/);
    assert.equal(questions.length, 1);
  });

  it("receives applied code in a named or a new file, and through a link only if the user agrees", async () => {
    const actions = new CodeActions();
    restores.push(() => actions.dispose());
    const code = "def total(items):\n    return sum(items, 0.0)\n";
    await actions.run({ action: "apply", code, fileName: "src/app.py" });
    await actions.proposals.accept();
    const bytes = await vscode.workspace.fs.readFile(at("src/app.py"));
    assert.match(new TextDecoder().decode(bytes), /sum\(items, 0\.0\)[^]*def main/);
    replace("showQuickPick", (items) => (Array.isArray(items) ? items[0] : undefined));
    await actions.run({ action: "apply", code: "new\n", fileName: "src/new.py" });
    await actions.proposals.accept();
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(at("src/new.py"))), "new\n");
    const questions = replace("showWarningMessage", () => undefined);
    await actions.run({ action: "apply", code: "stolen\n", fileName: "linked/key.txt" });
    assert.equal(questions.length, 1);
    await actions.proposals.accept();
    const linked = await vscode.workspace.fs.readFile(at("linked/key.txt"));
    assert.equal(new TextDecoder().decode(linked), "outside the workspace\n");
  });

  it("provides schemas from files and from editors", async () => {
    const validator = { validate: async () => ({ state: "valid" }) as const };
    replace("showOpenDialog", () => [at("order.schema.json")]);
    for (const label of ["JSON Schema from a file…", "JSON Schema in order.schema.json"]) {
      if (label.includes(" in ")) await vscode.window.showTextDocument(at("order.schema.json"));
      replace("showQuickPick", (items) =>
        (items as readonly vscode.QuickPickItem[]).find((item) => item.label === label),
      );
      const choice = await chooseFormat(undefined, validator);
      assert.equal(choice?.kind === "format" && choice.format?.type, "jsonSchema", label);
    }
  });

  it("provides dropped images, and shows attachments that came from its files", async () => {
    const dropped = parseDroppedUris(["memfs:/project/src/logo.png", "git:/project/x"]);
    assert.deepEqual(dropped.map(String), ["memfs:/project/src/logo.png"]);
    const posted: unknown[] = [];
    const attachments = new PanelAttachments(
      (message) => posted.push(message),
      () => assert.fail("It is an image."),
    );
    await attachments.read(["memfs:/project/src/logo.png"]);
    assert.match(JSON.stringify(posted), /logo\.png/);
    const documents = new ContextDocuments();
    restores.push(() => documents.dispose());
    await documents.show("src/app.py:5-6", "old text");
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), at("src/app.py").toString());
    assert.equal(vscode.window.activeTextEditor?.selection.start.line, 4);
  });
});
