import * as vscode from "vscode";

/** Documents that look like editors but aren't. */
const otherSchemes: ReadonlySet<string> = new Set([
  "output",
  "comment",
  "vscode-terminal",
  "inference-gateway-proposal",
  "inference-gateway-edit",
  "inference-gateway-context",
  "inference-gateway-message",
]);

/** Remembers the last active text editor, because VS Code reports none while the chat has the focus. */
export class LastEditor implements vscode.Disposable {
  #last: vscode.TextEditor | undefined;
  readonly #listener: vscode.Disposable;

  constructor() {
    this.#remember(vscode.window.activeTextEditor);
    this.#listener = vscode.window.onDidChangeActiveTextEditor((editor) => this.#remember(editor));
  }

  /** The editor whose selection is used; undefined if no text document is open. */
  get last(): vscode.TextEditor | undefined {
    if (this.#last !== undefined && !this.#last.document.isClosed) return this.#last;
    return vscode.window.visibleTextEditors.find(({ document }) => isText(document.uri));
  }

  /** Brings the editor to the front, even if its tab is hidden. Undefined if no text document is open. */
  async show(): Promise<vscode.TextEditor | undefined> {
    const visible = vscode.window.visibleTextEditors.filter(({ document }) => isText(document.uri));
    const last = this.#last;
    const still = visible.find((editor) => editor === last || isSame(editor.document, last?.document));
    if (still !== undefined) return reveal(still);
    const tab = findTab(last?.document.uri);
    if (tab !== undefined) return await showTab(tab);
    const [other] = visible;
    return other === undefined ? undefined : reveal(other);
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #remember(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && isText(editor.document.uri)) this.#last = editor;
  }
}

interface TextTab {
  readonly uri: vscode.Uri;
  readonly viewColumn: vscode.ViewColumn;
}

/** Every open text document once, including those in hidden tabs. */
export function openTexts(): readonly TextTab[] {
  const found = new Map<string, TextTab>();
  for (const { tabs, viewColumn } of vscode.window.tabGroups.all) {
    for (const { input } of tabs) {
      if (!(input instanceof vscode.TabInputText) || !isText(input.uri)) continue;
      found.set(input.uri.toString(), { uri: input.uri, viewColumn });
    }
  }
  return [...found.values()];
}

/** The document's tab, otherwise the only tab if there is just one. */
function findTab(uri: vscode.Uri | undefined): TextTab | undefined {
  const tabs = openTexts();
  const same = tabs.find((tab) => tab.uri.toString() === uri?.toString());
  return same ?? (tabs.length === 1 ? tabs[0] : undefined);
}

async function showTab({ uri, viewColumn }: TextTab): Promise<vscode.TextEditor> {
  return await vscode.window.showTextDocument(uri, { viewColumn });
}

/** A notebook cell is an editor that can't be shown like a file, so it has to be visible. */
async function reveal(editor: vscode.TextEditor): Promise<vscode.TextEditor> {
  if (editor.viewColumn === undefined) return editor;
  return await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn });
}

function isText(uri: vscode.Uri): boolean {
  return !otherSchemes.has(uri.scheme);
}

function isSame(a: vscode.TextDocument, b: vscode.TextDocument | undefined): boolean {
  return a.uri.toString() === b?.uri.toString();
}
