import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Ledger } from "../../../core/responses/usage/ledger.ts";
import { usageCsv, usageReport } from "../../../core/responses/usage/usageReport.ts";
import { exportFolder } from "../../shell/ownMachine.ts";
import { showConfirmation, showErrorMessage } from "../../shell/window.ts";
import { showMarkdown } from "../../shell/textDocuments.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";

const scheme = "inference-gateway-usage";

/** Milliseconds of usage that are shown: about a quarter of a year. */
const shownMs = 92 * 86_400_000;

/** Milliseconds to wait for VS Code to take over a changed text. */
const refreshLimitMs = 2_000;

/** Shows the recorded requests as a document in VS Code's Markdown preview. */
export class UsageDocument implements vscode.Disposable, vscode.TextDocumentContentProvider {
  readonly #ledger: () => Promise<Ledger>;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #registration: vscode.Disposable;
  #text = "";

  constructor(ledger: () => Promise<Ledger>) {
    this.#ledger = ledger;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** @param session The conversation that is shown, if there is one. */
  async show(session: ChatSession | undefined): Promise<void> {
    const ledger = await this.#ledger();
    const now = Date.now();
    this.#text = usageReport({
      all: await ledger.totals(now - shownMs),
      ...(session === undefined
        ? {}
        : { conversation: { title: session.state.title, totals: await ledger.totalsOf(session.id) } }),
      budget: chatSettings.budget(),
      now,
      locale: vscode.env.language,
    });
    const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Usage")}.md` });
    await this.#refresh(uri);
    await showMarkdown(uri);
  }

  /**
   * Resolves when VS Code has the current text. It keeps a document for minutes after its editor was closed, and its
   * preview would then miss a change that arrives while it loads.
   */
  async #refresh(uri: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() === this.#text) return;
    const changed = new Promise<void>((resolve) => {
      const listener = vscode.workspace.onDidChangeTextDocument((change) => {
        if (change.document === document) done();
      });
      const timer = setTimeout(() => done(), refreshLimitMs);
      const done = (): void => {
        clearTimeout(timer);
        listener.dispose();
        resolve();
      };
    });
    this.#onDidChange.fire(uri);
    await changed;
  }

  /** Asks for a file and writes every recorded request to it as CSV. */
  async exportCsv(): Promise<void> {
    const rows = await (await this.#ledger()).read(0);
    const uri = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(exportFolder(), `${vscode.l10n.t("Usage")}.csv`),
      filters: { CSV: ["csv"] },
      title: vscode.l10n.t("Export Usage"),
    });
    if (uri === undefined) return;
    try {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(usageCsv(rows)));
      void showConfirmation(vscode.l10n.t("The usage was exported."));
    } catch (error) {
      const reason = messageOf(error);
      void showErrorMessage(vscode.l10n.t("The usage couldn't be exported. {0}", reason));
    }
  }

  provideTextDocumentContent(): string {
    return this.#text;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }
}
