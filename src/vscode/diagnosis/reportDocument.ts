import * as vscode from "vscode";
import type { Remedy } from "../../core/diagnosis/diagnosis.ts";
import type { DiagnosisDocument } from "../../core/diagnosis/diagnosisDocument.ts";
import { commandIds } from "../commandIds.ts";
import { showInformationMessage, showQuickPick } from "../window.ts";

/** Also in the `when` clauses of package.json. */
const scheme = "inference-gateway-diagnosis";

/** The report as a read-only Markdown document, with a lens above every step that can be mended on a click. */
export class ReportDocument
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly #registration: vscode.Disposable;
  #text = "";
  #places: DiagnosisDocument["places"] = [];

  readonly onDidChange = this.#onDidChange.event;
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor() {
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerCodeLensProvider({ scheme }, this),
    );
  }

  get text(): string {
    return this.#text;
  }

  async show(text: string, places: DiagnosisDocument["places"]): Promise<void> {
    this.#text = text;
    this.#places = places;
    const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Connection Report")}.md` });
    this.#onDidChange.fire(uri);
    this.#onDidChangeCodeLenses.fire();
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  provideTextDocumentContent(): string {
    return this.#text;
  }

  provideCodeLenses(): vscode.CodeLens[] {
    return this.#remedies().map(({ line, key, remedy }) => {
      const title = `$(wrench) ${remedy.label}`;
      const command = { title, command: commandIds.mendConnection, arguments: [key] };
      return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command);
    });
  }

  findRemedy(key: unknown): Remedy | undefined {
    return this.#remedies().find((entry) => entry.key === key)?.remedy;
  }

  /** For the keyboard: the same choice as the lenses. */
  async pickRemedy(): Promise<Remedy | undefined> {
    const items = this.#remedies().map(({ remedy }) => ({ label: remedy.label, remedy }));
    if (items.length === 0) {
      void showInformationMessage(vscode.l10n.t("The report has nothing that could be mended on a click."));
      return undefined;
    }
    const title = vscode.l10n.t("Mend What the Report Found");
    return (await showQuickPick(items, { title }))?.remedy;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }

  #remedies(): readonly { readonly line: number; readonly key: string; readonly remedy: Remedy }[] {
    return this.#places.flatMap(({ line, remedies }) =>
      remedies.map((remedy, index) => ({ line, key: `${line}.${index}`, remedy })),
    );
  }
}
