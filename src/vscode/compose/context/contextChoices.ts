import type { IconName } from "../../../core/kernel/iconNames.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import * as vscode from "vscode";
import { findKinds, parseContextQuery } from "../../../core/compose/context/contextProtocol.ts";
import { problemsPart, terminalPart, formatProblems } from "../../../core/compose/context/contextPart.ts";
import type { Composition, KindView } from "../../../core/compose/context/contextProtocol.ts";
import { fuzzyFilter } from "../../../core/compose/context/fuzzyMatch.ts";
import type { Problem } from "../../../core/compose/context/contextPart.ts";
import { maxTextBytes } from "../../../core/compose/context/pastedText.ts";
import type { ServersView } from "../../servers/serversView.ts";
import { openTexts } from "../../shell/lastEditor.ts";
import { attachFiles, attachSelection, attachSymbol, linesOf, nothingSelected } from "./attachFiles.ts";
import { onlyNotice } from "./choice.ts";
import type { Choice } from "./choice.ts";
import { fileChoices, folderChoices } from "./fileChoices.ts";
import { gitChoices } from "./git.ts";
import { serverChoices } from "./serverChoices.ts";

const maxShown = 40;
/** Milliseconds allowed for a language server. Later results are left out. */
const patience = 3_000;

interface FoundSymbol {
  readonly name: string;
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  /** Whether the range covers the whole symbol, not only its name. */
  readonly isWhole: boolean;
}

/** Functions, classes and other symbols of the document, and of the workspace if its language servers provide them. */
async function symbolChoices(
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

/** The symbols of a document, those inside others included. */
export async function documentSymbols(uri: vscode.Uri): Promise<readonly FoundSymbol[]> {
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
    // VS Code returns objects that are of both types.
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

/** The location of a workspace symbol may cover only its name. The document's symbols have the whole range. */
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

const severities: Readonly<Record<vscode.DiagnosticSeverity, Problem["severity"]>> = {
  [vscode.DiagnosticSeverity.Error]: "error",
  [vscode.DiagnosticSeverity.Warning]: "warning",
  [vscode.DiagnosticSeverity.Information]: "information",
  [vscode.DiagnosticSeverity.Hint]: "hint",
};

/** Problems in the document and in the whole workspace. If there are none, a single row says so. */
function problemChoices(document: vscode.TextDocument | undefined, label: string): readonly Choice[] {
  const all = vscode.languages
    .getDiagnostics()
    .flatMap(([uri, list]) => list.map((each) => problemOf(uri, each)));
  if (all.length === 0) {
    return [
      {
        suggestion: { label, detail: vscode.l10n.t("None"), icon: "warning", isUnavailable: true },
      },
    ];
  }
  const path = document === undefined ? undefined : vscode.workspace.asRelativePath(document.uri);
  const here = all.filter((problem) => problem.path === path);
  return [
    ...(here.length === 0 ? [] : [problemChoice(label, here, path)]),
    ...(here.length === all.length ? [] : [problemChoice(label, all, undefined)]),
  ];
}

function problemChoice(label: string, problems: readonly Problem[], path: string | undefined): Choice {
  const count =
    problems.length === 1
      ? vscode.l10n.t("1 problem")
      : vscode.l10n.t("{0} problems", formatNumber(problems.length));
  const where = path ?? vscode.l10n.t("the whole workspace");
  return {
    suggestion: { label, detail: vscode.l10n.t("{0} in {1}", count, where), icon: "warning" },
    pick: async () => ({ text: "", parts: [problemsPart(path, formatProblems(problems))] }),
  };
}

/** A diagnostic of VS Code as a problem that can be attached. Positions are counted from 1. */
export function problemOf(
  uri: vscode.Uri,
  { range, severity, message, source, code }: vscode.Diagnostic,
): Problem {
  const value = typeof code === "object" ? code.value : code;
  return {
    path: vscode.workspace.asRelativePath(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity],
    message,
    ...(source === undefined ? {} : { source }),
    ...(value === undefined ? {} : { code: String(value) }),
  };
}

/** The choices for the text after `#`: the matching kinds, then files, or one kind alone. */
export async function contextChoices(
  query: string,
  editor: vscode.TextEditor | undefined,
  token: vscode.CancellationToken,
  servers: () => Promise<ServersView>,
): Promise<readonly Choice[]> {
  const { kind, text } = parseContextQuery(query);
  if (kind === "file") return fileChoices(text, token);
  if (kind === "folder") return folderChoices(text, token);
  if (kind === "symbol") return symbolChoices(text, editor?.document);
  if (kind === "server") return serverChoices(text, await servers());
  const rows = findKinds(text).map((view) => kindChoices(view, editor));
  const [kinds, files] = await Promise.all([Promise.all(rows), fileChoices(text, token)]);
  return [...kinds.flat(), ...files];
}

async function kindChoices(
  view: KindView,
  editor: vscode.TextEditor | undefined,
): Promise<readonly Choice[]> {
  const { kind, label, icon } = view;
  switch (kind) {
    case "file":
    case "folder":
    case "symbol":
    case "server":
      return [{ suggestion: { label, detail: `#${kind}:`, icon, narrowsTo: `${kind}:` } }];
    case "selection":
      return [selectionChoice(view, editor)];
    case "editors":
      return [openEditorsChoice(view)];
    case "problems":
      return problemChoices(editor?.document, label);
    case "terminal":
      return [terminalChoice(view)];
    case "changes":
      return await gitChoices(label);
  }
}

function selectionChoice({ label, icon }: KindView, editor: vscode.TextEditor | undefined): Choice {
  if (editor === undefined) return unavailable(label, icon, vscode.l10n.t("No text editor is open."));
  const { document, selection } = editor;
  if (selection.isEmpty) return unavailable(label, icon, nothingSelected(document));
  const { first, last } = linesOf(selection);
  const path = vscode.workspace.asRelativePath(document.uri);
  const detail = first === last ? `${path}:${first}` : `${path}:${first}-${last}`;
  return { suggestion: { label, detail, icon }, pick: () => attachSelection(editor) };
}

function openEditorsChoice({ label, icon }: KindView): Choice {
  const uris = openTexts().map(({ uri }) => uri);
  if (uris.length === 0) return unavailable(label, icon, vscode.l10n.t("No text editor is open."));
  const detail =
    uris.length === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", formatNumber(uris.length));
  return { suggestion: { label, detail, icon }, pick: () => attachFiles(uris, "page") };
}

function terminalChoice({ label, icon }: KindView): Choice {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return unavailable(label, icon, vscode.l10n.t("No terminal is open."));
  return { suggestion: { label, detail: terminal.name, icon }, pick: attachTerminalSelection };
}

function unavailable(label: string, icon: IconName, detail: string): Choice {
  return { suggestion: { label, detail, icon, isUnavailable: true } };
}

/**
 * The selection in the terminal. VS Code provides it only through the clipboard, whose previous content is restored. A
 * marker that no selection can equal is put there first, to detect whether anything was copied.
 */
export async function attachTerminalSelection(): Promise<Composition> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return onlyNotice(vscode.l10n.t("No terminal is open."));
  // "Select All" includes the empty rows below the prompt.
  const text = (await copySelection()).trimEnd().slice(-maxTextBytes);
  if (text === "")
    return onlyNotice(
      terminal.name.trim() === ""
        ? vscode.l10n.t("Nothing is selected in the terminal.")
        : vscode.l10n.t("Nothing is selected in the terminal {0}.", terminal.name),
    );
  return { text: "", parts: [terminalPart(terminal.name, text)] };
}

async function copySelection(): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // A clipboard without text may contain an image, which is left alone until something is copied.
  const marker = before === "" ? "" : `${before.slice(0, 8)}\u2060${Date.now()}`;
  try {
    if (marker !== "") await clipboard.writeText(marker);
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const after = await clipboard.readText();
    return after === marker ? "" : after;
  } finally {
    if (before !== "") await clipboard.writeText(before);
  }
}
