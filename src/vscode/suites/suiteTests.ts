import * as vscode from "vscode";
import { inertText } from "../../core/kernel/foreignText.ts";
import { isSuitePath, suiteGlob } from "../../core/suites/suitePath.ts";
import { cellLabel } from "../../core/suites/suite.ts";
import type { SuiteCase, SuitePreset } from "../../core/suites/suite.ts";
import { exists, findFiles } from "../shell/findFiles.ts";
import { findOpen } from "../shell/readText.ts";
import { openSuite } from "./suiteFile.ts";
import type { OpenedSuite } from "./suiteFile.ts";

/** Maximum number of suites that are listed. */
const mostSuites = 500;
/** Milliseconds without a change after which an edited suite is read. */
const editPauseMs = 300;

/** A case with a model and a preset, as a row of the Testing view. */
interface CellRow {
  readonly test: SuiteCase;
  readonly model: string;
  readonly preset: SuitePreset;
}

/** The suites of the workspace, their cases, and the models and presets of each case as rows of the Testing view. */
export class SuiteTests implements vscode.Disposable {
  readonly controller: vscode.TestController;
  readonly #diagnostics = vscode.languages.createDiagnosticCollection("inferenceGateway.suites");
  readonly #watcher = vscode.workspace.createFileSystemWatcher(suiteGlob);
  readonly #onDidRemove = new vscode.EventEmitter<vscode.TestItem>();
  /** Fires with the row of a suite that no longer exists. */
  readonly onDidRemove = this.#onDidRemove.event;
  readonly #subscriptions: vscode.Disposable;
  readonly #edits = new Map<string, ReturnType<typeof setTimeout>>();
  /** The data that the rows of a suite were created from, by its URI. */
  readonly #opened = new Map<string, OpenedSuite>();
  readonly #rows = new WeakMap<vscode.TestItem, CellRow>();
  /** Rows for models that the suite doesn't name: they stay until their case or preset is gone. */
  readonly #chosen = new WeakSet<vscode.TestItem>();

  constructor(controller: vscode.TestController) {
    this.controller = controller;
    controller.resolveHandler = async (item) => {
      if (item === undefined) await this.discover();
      else if (item.parent === undefined && item.uri !== undefined) await this.refresh(item.uri);
    };
    controller.refreshHandler = () => this.discover();
    this.#subscriptions = vscode.Disposable.from(
      controller,
      this.#diagnostics,
      this.#onDidRemove,
      this.#watcher,
      this.#watcher.onDidCreate((uri) => void this.refresh(uri)),
      this.#watcher.onDidChange((uri) => void this.refresh(uri)),
      this.#watcher.onDidDelete((uri) => this.#remove(uri)),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => void this.refresh(uri)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#refreshSoon(document.uri)),
      // Unsaved changes have been discarded.
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === "untitled") this.#remove(uri);
        else if (this.controller.items.get(uri.toString()) !== undefined) this.#refreshSoon(uri);
      }),
    );
    for (const { uri } of vscode.workspace.textDocuments) void this.refresh(uri);
  }

  /** Lists the suites of the workspace. Their cases are read when they are shown or run. */
  async discover(): Promise<void> {
    const found = await findFiles({ glob: suiteGlob, max: mostSuites });
    const suites = found.filter(({ path }) => isSuitePath(path));
    const ids = new Set(suites.map((uri) => uri.toString()));
    // A suite from elsewhere is listed while it is open. A slow search finds nothing, although the files exist.
    const missing = [...this.controller.items].filter(([id]) => !ids.has(id));
    for (const [, { uri }] of missing) {
      if (uri === undefined || findOpen(uri) !== undefined) continue;
      const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
      if (!isInside || !(await exists(uri))) this.#remove(uri);
    }
    for (const uri of suites) this.#suiteItem(uri);
  }

  /** All suites of the workspace, which may not have been listed yet, and those that are open. */
  async all(): Promise<readonly vscode.TestItem[]> {
    await this.discover();
    return [...this.controller.items].map(([, item]) => item);
  }

  /** Reads the suite again and updates its rows. Undefined if this isn't a suite. */
  async refresh(uri: vscode.Uri): Promise<OpenedSuite | undefined> {
    if (!isSuitePath(uri.path) || uri.scheme === "git") return undefined;
    const item = this.#suiteItem(uri);
    const opened = await openSuite(uri);
    // The file was deleted in the meantime.
    if (!this.isListed(item)) return undefined;
    this.#opened.set(item.id, opened);
    this.#diagnostics.set(
      uri,
      opened.problems.map(({ range, message }) => {
        const diagnostic = new vscode.Diagnostic(opened.rangeOf(range), message);
        diagnostic.source = "Inference Gateway";
        return diagnostic;
      }),
    );
    this.#showCases(item, opened);
    return opened;
  }

  /** Whether the suite to which the row belongs still exists. */
  isListed(item: vscode.TestItem): boolean {
    const suite = suiteOf(item);
    return this.controller.items.get(suite.id) === suite;
  }

  /** The data that the rows of this suite were created from. */
  openedOf(item: vscode.TestItem): OpenedSuite | undefined {
    return this.#opened.get(suiteOf(item).id);
  }

  rowOf(item: vscode.TestItem): CellRow | undefined {
    return this.#rows.get(item);
  }

  /** The row for this model and preset, which is added if a run uses a model that the suite doesn't name. */
  cellItem(suite: vscode.TestItem, { test, model, preset }: CellRow): vscode.TestItem | undefined {
    const item = suite.children.get(test.name);
    if (item === undefined) return undefined;
    const id = JSON.stringify([model, preset.name]);
    const known = item.children.get(id);
    if (known !== undefined) return known;
    const label = inertText(cellLabel(model, preset), 200);
    const cell = this.controller.createTestItem(id, label, item.uri);
    cell.sortText = String(item.children.size).padStart(6, "0");
    this.#rows.set(cell, { test, model, preset });
    if (!test.models.includes(model)) this.#chosen.add(cell);
    item.children.add(cell);
    return cell;
  }

  dispose(): void {
    for (const timer of this.#edits.values()) clearTimeout(timer);
    this.#subscriptions.dispose();
  }

  #suiteItem(uri: vscode.Uri): vscode.TestItem {
    const id = uri.toString();
    const known = this.controller.items.get(id);
    if (known !== undefined) return known;
    const item = this.controller.createTestItem(
      id,
      inertText(vscode.workspace.asRelativePath(uri), 200),
      uri,
    );
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  /** Rows that stay keep their identity and with it their last result. */
  #showCases(item: vscode.TestItem, { suite, problems, rangeOf }: OpenedSuite): void {
    const [first] = problems;
    item.error = first === undefined ? undefined : inertText(first.message, 500);
    const cases = suite.cases.map((test, place) => {
      const row = item.children.get(test.name) ?? this.#newCase(item, test);
      row.range = rangeOf(test.range);
      row.sortText = String(place).padStart(6, "0");
      return row;
    });
    item.children.replace(cases);
    for (const test of suite.cases) this.#showCells(item, test);
  }

  #newCase(suite: vscode.TestItem, test: SuiteCase): vscode.TestItem {
    return this.controller.createTestItem(test.name, inertText(test.name, 200), suite.uri);
  }

  #showCells(suite: vscode.TestItem, test: SuiteCase): void {
    const wanted = test.models.flatMap((model) => test.presets.map((preset) => ({ test, model, preset })));
    const cells = wanted.flatMap((row) => {
      const cell = this.cellItem(suite, row);
      if (cell !== undefined) this.#rows.set(cell, row);
      return cell ?? [];
    });
    const children = suite.children.get(test.name)?.children;
    const presets = new Set(test.presets.map(({ name }) => name));
    const chosen = [...(children ?? [])].flatMap(([, row]) => {
      const isShown = presets.has(this.#rows.get(row)?.preset.name ?? "") && this.#chosen.has(row);
      return isShown && !cells.includes(row) ? row : [];
    });
    children?.replace([...cells, ...chosen]);
  }

  #refreshSoon(uri: vscode.Uri): void {
    if (!isSuitePath(uri.path)) return;
    const id = uri.toString();
    clearTimeout(this.#edits.get(id));
    this.#edits.set(
      id,
      setTimeout(() => {
        this.#edits.delete(id);
        void this.refresh(uri);
      }, editPauseMs),
    );
  }

  #remove(uri: vscode.Uri | undefined): void {
    if (uri === undefined) return;
    clearTimeout(this.#edits.get(uri.toString()));
    const item = this.controller.items.get(uri.toString());
    this.controller.items.delete(uri.toString());
    if (item !== undefined) this.#onDidRemove.fire(item);
    this.#opened.delete(uri.toString());
    this.#diagnostics.delete(uri);
  }
}

/** The suite that a row belongs to. */
export function suiteOf(item: vscode.TestItem): vscode.TestItem {
  return item.parent === undefined ? item : suiteOf(item.parent);
}
