import * as vscode from "vscode";
import { fuzzyFilter } from "../../../core/compose/context/fuzzyMatch.ts";
import { attachSymbol } from "./attachFiles.ts";
import type { Choice } from "./choice.ts";

const maxShown = 40;
/** Milliseconds that a language server is given; what it doesn't answer by then is left out. */
const patience = 3_000;

interface FoundSymbol {
  readonly name: string;
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  /** The whole of it is known, not only its name. */
  readonly isWhole: boolean;
}

/** Functions, classes and the like: of the document, and of the workspace as far as its languages can tell. */
export async function symbolChoices(
  text: string,
  document: vscode.TextDocument | undefined,
): Promise<readonly Choice[]> {
  const [near, far] = await Promise.all([
    document === undefined ? [] : documentSymbols(document.uri),
    text === "" ? [] : workspaceSymbols(text),
  ]);
  const seen = new Set(near.map(keyOf));
  const all = [...near, ...far.filter((symbol) => !seen.has(keyOf(symbol)))];
  return fuzzyFilter(text, all, ({ name }) => name)
    .slice(0, maxShown)
    .map(symbolChoice);
}

function symbolChoice({ name, uri, range, isWhole }: FoundSymbol): Choice {
  const path = vscode.workspace.asRelativePath(uri);
  return {
    suggestion: { label: name, detail: `${path}:${range.start.line + 1}`, icon: "symbol-method" },
    async pick() {
      return attachSymbol(name, uri, isWhole ? range : await wholeRange(uri, range));
    },
  };
}

async function documentSymbols(uri: vscode.Uri): Promise<readonly FoundSymbol[]> {
  return flatten(await ask("vscode.executeDocumentSymbolProvider", uri), uri);
}

async function workspaceSymbols(text: string): Promise<readonly FoundSymbol[]> {
  return flatten(await ask("vscode.executeWorkspaceSymbolProvider", text));
}

async function ask(command: string, argument: unknown): Promise<readonly unknown[]> {
  const late = new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), patience));
  try {
    const found: unknown = await Promise.race([vscode.commands.executeCommand(command, argument), late]);
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function flatten(symbols: readonly unknown[], uri?: vscode.Uri): readonly FoundSymbol[] {
  return symbols.flatMap((symbol): readonly FoundSymbol[] => {
    // VS Code gives objects that are both.
    if (isDocumentSymbol(symbol) && uri !== undefined) {
      const { name, range, children } = symbol;
      return [{ name, uri, range, isWhole: true }, ...flatten(children, uri)];
    }
    if (!(symbol instanceof vscode.SymbolInformation)) return [];
    const { name, location } = symbol;
    return [{ name, uri: location.uri, range: location.range, isWhole: false }];
  });
}

function isDocumentSymbol(symbol: unknown): symbol is vscode.DocumentSymbol {
  return (
    typeof symbol === "object" && symbol !== null && "children" in symbol && Array.isArray(symbol.children)
  );
}

/** A workspace's symbol may be told by its name's place only: the document knows where it ends. */
async function wholeRange(uri: vscode.Uri, range: vscode.Range): Promise<vscode.Range> {
  const around = (await documentSymbols(uri)).filter((symbol) => symbol.range.contains(range));
  const [nearest] = around.toSorted((a, b) => lineCount(a.range) - lineCount(b.range));
  return nearest?.range ?? range;
}

function lineCount({ start, end }: vscode.Range): number {
  return end.line - start.line;
}

function keyOf({ name, uri, range }: FoundSymbol): string {
  return `${uri.toString()} ${name} ${range.start.line}`;
}
