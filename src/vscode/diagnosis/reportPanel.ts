import * as vscode from "vscode";
import { commandIds } from "../shell/commandIds.ts";
import { showConfirmation, showQuickPick } from "../shell/window.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";

/** Also used in the `when` clauses of package.json. */
const viewType = "inferenceGateway.connectionReport";

/** The only commands that a click in the report can run. */
const commands = [commandIds.fixConnection, commandIds.copyReport, commandIds.diagnoseConnection];

/** The content of a report. */
export interface Report {
  /** As Markdown, for sharing. */
  readonly text: string;
  /** The content of the page. */
  readonly body: string;
  readonly remedies: readonly ReportRemedy[];
}

/** The last report, in a tab without any script: its buttons are links to our own commands. */
export class ReportPanel implements vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  #panel: vscode.WebviewPanel | undefined;
  #report: Report = { text: "", body: "", remedies: [] };

  constructor(extensionUri: vscode.Uri) {
    this.#extensionUri = extensionUri;
  }

  /** The link for a remedy's button. */
  static remedyAddress(index: number): string {
    return commandAddress(commandIds.fixConnection, index);
  }

  get text(): string {
    return this.#report.text;
  }

  show(report: Report): void {
    this.#report = report;
    const panel = (this.#panel ??= this.#open());
    panel.webview.html = this.#page(panel.webview, report.body);
    panel.reveal();
  }

  findRemedy(index: unknown): ReportRemedy | undefined {
    return typeof index === "number" ? this.#report.remedies[index] : undefined;
  }

  /** Offers the same choices as the buttons, for the palette. */
  async pickRemedy(): Promise<ReportRemedy | undefined> {
    const items = this.#report.remedies.map((remedy) => ({ label: remedy.label, remedy }));
    if (items.length === 0) {
      showConfirmation(vscode.l10n.t("Nothing in the report can be fixed with one click."));
      return undefined;
    }
    return (await showQuickPick(items, { title: vscode.l10n.t("Fix Reported Problems") }))?.remedy;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      viewType,
      vscode.l10n.t("Connection Report"),
      vscode.ViewColumn.Active,
      {
        enableCommandUris: commands,
        enableFindWidget: true,
        localResourceRoots: [vscode.Uri.joinPath(this.#extensionUri, "dist", "webview")],
      },
    );
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(this.#extensionUri, "media", name);
    panel.iconPath = { light: icon("activity.svg"), dark: icon("activity-dark.svg") };
    panel.onDidDispose(() => (this.#panel = undefined));
    return panel;
  }

  #page(webview: vscode.Webview, body: string): string {
    const style = vscode.Uri.joinPath(this.#extensionUri, "dist", "webview", "reportStyle.css");
    const button = (command: string, label: string): string =>
      `<a class="button secondary" href="${commandAddress(command)}">${label}</a>`;
    return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}">
<link rel="stylesheet" href="${webview.asWebviewUri(style).toString()}">
</head>
<body>
<main>
${body}
<p class="buttons">
${button(commandIds.diagnoseConnection, vscode.l10n.t("Diagnose Again"))}
${button(commandIds.copyReport, vscode.l10n.t("Copy Report"))}
</p>
</main>
</body>
</html>`;
  }
}

function commandAddress(command: string, ...values: readonly unknown[]): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify(values))}`;
}
